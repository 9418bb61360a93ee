// A value that components share and are drawn again for.
import { useEffect, useState } from '../lib/htm-preact.js';

export function store(value) {
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      value = next;
      [...listeners].forEach(listener => listener(next));
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore(shared) {
  const [value, setValue] = useState(() => shared.get());
  useEffect(() => {
    setValue(() => shared.get()); // it may have changed between the drawing and this
    return shared.listen(next => setValue(() => next));
  }, [shared]);
  return value;
}
