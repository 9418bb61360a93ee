// Polls the API: one request at a time, and none while the page is hidden.
import { useEffect, useRef, useState } from '../lib/htm-preact.js';

/**
 * @param load takes an AbortSignal and returns the data to show
 * @param seconds between a response and the next request, or a function of the response; 0 for a single request
 * @param about values that the response depends on: when they change, the old response is removed
 * @param amount number of requested items: when it changes, the old response is shown until there is a new one
 * @returns {{data, problem, refresh}} the last response, and why the newest request failed
 */
export function usePoll(load, seconds, about = [], amount = null) {
  const [state, setState] = useState({});
  const refresh = useRef(() => {});
  const asked = useRef();
  useEffect(() => {
    if (asked.current !== JSON.stringify(about)) {
      setState({});
    }
    asked.current = JSON.stringify(about);
    const polling = poll(load, seconds, setState);
    refresh.current = polling.refresh;
    return polling.end;
  }, [...about, amount]);
  return { ...state, refresh: () => refresh.current() };
}

function poll(load, seconds, setState) {
  let timer;
  let running = null;

  async function ask() {
    clearTimeout(timer);
    if (document.hidden || running) {
      return;
    }
    const request = running = new AbortController();
    let pause = seconds instanceof Function ? 2 : seconds;
    try {
      const data = await load(request.signal);
      if (request === running) {
        setState({ data, problem: null });
        pause = seconds instanceof Function ? seconds(data) : pause;
      }
    } catch (problem) {
      if (request === running) {
        setState(old => ({ ...old, problem }));
        pause = Math.max(pause, problem.retryAfter ?? 0);
      }
    }
    if (request === running) {
      running = null;
      timer = pause > 0 ? setTimeout(ask, pause * 1000) : undefined;
    }
  }

  function stop() {
    clearTimeout(timer);
    const request = running;
    running = null;
    request?.abort();
  }

  function seenOrHidden() {
    if (document.hidden) {
      stop();
    } else {
      ask();
    }
  }

  document.addEventListener('visibilitychange', seenOrHidden);
  ask();
  return {
    refresh() {
      stop();
      ask();
    },
    end() {
      document.removeEventListener('visibilitychange', seenOrHidden);
      stop();
    },
  };
}

/** The current time, updated every second. */
export function useNow(active) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (active) {
      setNow(Date.now());
      const timer = setInterval(() => setNow(Date.now()), 1000);
      return () => clearInterval(timer);
    }
  }, [active]);
  return now;
}
