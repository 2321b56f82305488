// Bytes of a head as people read them: each line as it is, and what is no printable ASCII written out.

/** piece is how many bytes of a head are shown at once. */
export const piece = 64 * 1024;

/** ofBase64 is what base64 stands for. */
export function ofBase64(text) {
  return Uint8Array.from(atob(text ?? ''), (c) => c.charCodeAt(0));
}

/** promised is the length of a body that a head says; null if it says none, or not clearly. */
export function promised(bytes) {
  const head = Array.from(bytes.subarray(0, piece), (b) => String.fromCharCode(b)).join('');
  const said = new Set(Array.from(head.matchAll(/\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r?(?=\n)/gi), (m) => m[1]));
  return said.size === 1 && !/\ntransfer-encoding:/i.test(head) ? Number([...said][0]) : null;
}

/**
 * lines are those of a head, of at most so many bytes of it, each as parts: {text} and {code}, the
 * latter for bytes that are written out (\x0d before a line's end is not, unless it is missing or
 * doubled).
 */
export function lines(bytes, shown = piece) {
  const all = [];
  let line = [];
  let text = '';
  const flush = () => {
    if (text) line.push({ text });
    text = '';
  };
  const end = Math.min(bytes.length, shown);
  for (let i = 0; i < end; i++) {
    const b = bytes[i];
    if (b === 10 || (b === 13 && bytes[i + 1] === 10)) {
      flush();
      if (b === 13) i++;
      else line.push({ code: '\\n' });
      all.push(line);
      line = [];
    } else if ((b >= 32 && b < 127) || b === 9) {
      text += String.fromCharCode(b);
    } else {
      flush();
      line.push({ code: `\\x${b.toString(16).padStart(2, '0')}` });
    }
  }
  flush();
  if (line.length) all.push(line);
  while (all.length && !all.at(-1).length) all.pop();
  return { lines: all, cut: bytes.length > end };
}
