// Polls the API: one request at a time, and none while the page is hidden.
import { useEffect, useRef, useState } from '../lib/htm-preact.js';

/**
 * @param load takes an AbortSignal and returns what is to be shown
 * @param seconds between an answer and the next question; 0 asks once. Also a function of the answer
 * @param about what the answer depends on: with another value the old answer is dropped
 * @param amount how much is asked for: with another value the old answer stays until there is a new one
 * @returns {{data, problem, refresh}} the last answer, and why there is no newer one
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
    let pause = seconds instanceof Function ? 1 : seconds;
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

/** The time, anew each second. */
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
