/**
 * What the server answers, as this page reads it. Times are RFC 3339 in UTC; an exchange is named by
 * the file and the offset of its record, as in a line of CDXJ.
 *
 * @typedef {object} Event one line of /events
 * @property {'capture'|'gap'|'missed'|'files'|'paused'|'resumed'|'note'|'removed'} kind
 * @property {string} id BOOT.SEQ
 * @property {string} ts
 * @property {string} [url] as recorded: text, never a place to go to
 * @property {string} [host]
 * @property {string} [method]
 * @property {number} [status]
 * @property {string} [mime]
 * @property {number|null} [size] bytes of the response's body as it came
 * @property {number} [length] bytes of the gzip member
 * @property {number|null} [ms]
 * @property {string} [stored] response, revisit, resource, …
 * @property {boolean} [truncated]
 * @property {'part'|'cut'} [completion] what had come, of what the recorder asked for itself
 * @property {string} [file]
 * @property {number} [offset]
 * @property {string} [state] of a file: what has become of it
 * @property {boolean} [cut] its texts are longer, and this page keeps their beginnings
 * @property {string} [reason] of a gap
 * @property {string} [detail] of a gap
 * @property {number} [count] of gaps that are only counted, or of events that were missed
 *
 * @typedef {object} Page
 * @property {string} id
 * @property {string} url
 * @property {string} title
 * @property {string} ts
 * @property {number} size in the files, of all that belongs to it
 * @property {number} resources beside the document
 * @property {number} lacks how many requests are not here, or not whole
 * @property {boolean} open something came for it in the last 30 seconds
 * @property {boolean} whole nothing lacks, and nothing may lack
 * @property {number} loading requests under way that may be its
 * @property {string} [unsure] why something may lack: paused, crash, gaps
 * @property {number} [pending] captures and gaps that lacks does not count yet
 * @property {{file: string, offset: number}|null} thumbnail
 *
 * @typedef {object} Finding what a page lacks
 * @property {string} kind
 * @property {string} url
 * @property {string} ts
 * @property {number} times
 * @property {number} [status]
 * @property {string} [detail]
 * @property {number} [received] bytes of what broke off, of those expected
 * @property {number} [expected]
 * @property {string} words why, in a sentence
 *
 * @typedef {object} PageDetail
 * @property {Page} page
 * @property {Event[]} exchanges
 * @property {Event[]} gaps
 * @property {Finding[]} lacks
 * @property {number} moreLacks beside these
 * @property {{ts: string, text: string}[]} [notes]
 * @property {number} more exchanges that are left out
 *
 * @typedef {object} Message
 * @property {string} head base64 of its bytes
 * @property {number} size of its body
 * @property {string} [recordID]
 * @property {string} [date]
 * @property {string} [truncated]
 *
 * @typedef {object} ExchangeDetail
 * @property {Event} capture
 * @property {Message|null} request
 * @property {Message|null} response
 * @property {{type: string, id: string, offset: number, length: number,
 *   digests: Object<string, string>}[]} records
 * @property {Object<string, string>} keys by dialect
 * @property {{uri: string, date: string, file?: string, offset?: number}|null} revisitOf
 * @property {string|null} metadata
 * @property {string} curl
 * @property {string} [curlLacks] what the command leaves out
 * @property {string} [why] there is no body
 * @property {string|null} page
 * @property {{kind: 'text'|'json'|'image'|'hex'|'none', text?: boolean, path?: string}} preview text: an
 *   image can be read, too
 *
 * @typedef {object} Piece of a body
 * @property {string} text
 * @property {string} [charset]
 * @property {string} [coding]
 * @property {number} from
 * @property {number} to
 * @property {number} size of all; -1 if that is not known
 * @property {boolean} more something follows
 * @property {string} [why] there is no more of it
 *
 * @typedef {object} Sample
 * @property {string} ts
 * @property {number} exchanges
 * @property {number} bytes
 * @property {number} stored
 * @property {number} revisits
 * @property {number} gaps
 *
 * @typedef {object} Job a capture that was asked for here
 * @property {string} id
 * @property {string} url
 * @property {number} [depth]
 * @property {'waiting'|'running'|'done'|'failed'|'stopped'} state done: all its pages are whole
 * @property {number|null} exit of one that has ended; 0: all pages are whole
 * @property {string[]} lines the newest
 * @property {number} leftOut lines before these
 */
export {};
