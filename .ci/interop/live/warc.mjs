// Records as they lie in the files, read by hand: nothing of ours takes part.
import fs from 'node:fs';
import zlib from 'node:zlib';
import { place } from './world.mjs';

/** Member is one gzip member of a file, with the record in it. */
export class Member {
  constructor(file, offset, length) {
    this.bytes = fs.readFileSync(place(file)).subarray(offset, offset + length);
    this.record = zlib.gunzipSync(this.bytes);
    const end = this.record.indexOf('\r\n\r\n') + 4;
    this.header = this.record.subarray(0, end);
    this.block = this.record.subarray(end, end + Number(this.field('Content-Length')));
  }

  /** field is one of the WARC header. */
  field(name) {
    const lines = this.header.toString('latin1').split('\r\n');
    return lines.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))?.slice(name.length + 1).trim();
  }

  /** head is that of the HTTP message, with its empty line. */
  get head() {
    return this.block.subarray(0, this.block.indexOf('\r\n\r\n') + 4);
  }
}

/** written are bytes of a head as the page writes them: a line each, what is no printable ASCII as \xNN. */
export function written(head) {
  const lines = head.toString('latin1').split('\r\n');
  return lines.slice(0, lines.indexOf('')).map((line) => line.replace(/[^ -~\t]/g,
    (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`));
}
