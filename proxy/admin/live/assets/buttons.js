// Buttons whose work takes a while, or that go with what they do.
import { html, useEffect, useRef, useState } from './html.js';

/** useBusy is work that is done once at a time, and whether it goes on: who presses twice has it once. */
export function useBusy(work) {
  const going = useRef(false);
  const [busy, setBusy] = useState(false);
  const start = async () => {
    if (going.current) return;
    going.current = true;
    setBusy(true);
    try {
      await work();
    } finally {
      going.current = false;
      setBusy(false);
    }
  };
  return [start, busy];
}

/**
 * useHeir hands on the focus of what goes: to what heir finds by it as long as it is there, or else to the
 * heading of what is shown then.
 */
export function useHeir(heir) {
  const element = useRef(null);
  useEffect(() => () => {
    if (!element.current?.contains(document.activeElement)) return;
    const next = heir?.(element.current);
    queueMicrotask(() => {
      if (document.activeElement !== document.body) return;
      (next?.isConnected ? next : document.querySelector('main h1'))?.focus();
    });
  }, []);
  return element;
}

/** Leaving is a button that may go with its effect, and hands on its focus. */
export function Leaving({ heir, children, ...rest }) {
  const button = useHeir(heir);
  return html`<button ref=${button} ...${rest}>${children}</button>`;
}
