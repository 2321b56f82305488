package replay

import (
	"io"

	"warcorder/store"
	"warcorder/store/readback"
)

// isPlain reports whether a response is stored without the content codings of its head: the head
// lies, or was written before somebody took them off. Its body is then read from its beginning.
func isPlain(response *readback.Response) bool {
	if !knowsCodings(response.Head) {
		return false
	}
	plain, err := response.IsDecoded()
	return plain && err == nil
}

// sniffed is how much of a body shows whether its content coding can be taken off, in bytes.
const sniffed = 1024

// isCoded reports whether the body of a capture has the content codings of its head h, and they can
// be taken off.
func (a *Archive) isCoded(c *store.Capture, h head) bool {
	if !knowsCodings(h) {
		return false
	}
	response, err := a.files.Response(c)
	if err != nil {
		return false
	}
	defer response.Close()
	if plain, err := response.IsDecoded(); plain || err != nil {
		return false
	}
	decoded, err := response.Decoded()
	if err != nil {
		return false
	}
	_, err = io.CopyN(io.Discard, decoded, sniffed)
	return err == nil || err == io.EOF || isCut(response)
}

// knowsCodings reports whether all content codings that a head says, of which there are some, can
// be taken off.
func knowsCodings(h head) (known bool) {
	listed(h.get("Content-Encoding"), func(coding string) bool {
		switch plainCoding(coding) {
		case "gzip", "deflate", "br", "zstd", "identity":
			known = true
		default:
			known = false
		}
		return known
	})
	return known
}
