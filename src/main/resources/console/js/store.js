// A value that components share. They are rendered again when it changes.
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
    setValue(() => shared.get()); // it may have changed since the rendering
    return shared.listen(next => setValue(() => next));
  }, [shared]);
  return value;
}
