package ranges

// Multipart frames several spans of one entity as a body of the type multipart/byteranges (RFC 9110
// section 14.6), whose boundary the caller chooses:
//
//	--BOUNDARY
//	Content-Type: of the entity
//	Content-Range: bytes 0-499/8000
//
//	the first span's bytes
//	--BOUNDARY
//	…
//	--BOUNDARY--
//
// heads[i] stands before the bytes of spans[i], and end behind all; length is that of all of it, the
// spans' bytes included. of is the entity's length, negative if it is not known. contentType is a
// field's value; "" leaves the field out.
func Multipart(boundary, contentType string, spans []Span, of int64) (heads []string, end string,
	length int64) {
	mark := "--" + boundary
	fields := "\r\n"
	if contentType != "" {
		fields += "Content-Type: " + contentType + "\r\n"
	}
	for i, s := range spans {
		head := mark + fields + "Content-Range: " + Content{s, of}.String() + "\r\n\r\n"
		if i > 0 {
			head = "\r\n" + head
		}
		heads = append(heads, head)
		length += int64(len(head)) + s.Length()
	}
	end = "\r\n" + mark + "--\r\n"
	return heads, end, length + int64(len(end))
}
