// Package har writes what was recorded as a HAR: an HTTP Archive 1.2
// (http://www.softwareishard.com/blog/har-12-spec/), as browsers' developer tools read it. Start
// with [Writer]; what of a capture becomes what of an entry is in exchange.go, the objects are in
// format.go.
//
// HAR is JSON, so what a message has is told, not kept: fields in their order, each with its name
// and value, and not their blanks and line ends; the body without its transfer and content codings.
// Bytes of a head that are no UTF-8 are read as Latin-1. A body is text if its media type is one of
// texts and its bytes are UTF-8, and else base64; its bytes come back from either. What a request
// sent may be in base64 too: postData has then the field encoding, which HAR does not know, and by
// which Playwright reads it.
//
// Invariant: whatever was recorded, what is written is valid JSON, and no exchange of it is there in
// part: one that cannot be read to its end is left out, and said to be. However large a body is, it
// takes memory for some buffers: bodies are read twice, of which only short ones are kept meanwhile.
package har
