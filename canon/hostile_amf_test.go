package canon

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// hostileAMF are the shapes in Action Message Format.
var hostileAMF = []hostile{
	{"amf: messages", "application/x-amf", amfMessages},
	{"amf: values that are each other's", "application/x-amf", amfShared},
	{"amf: an array that holds itself", "application/x-amf", amfSelf},
	{"amf: proxies", "application/x-amf", amfProxies},
	{"amf: a long name in every object", "application/x-amf", amfTraits},
	{"amf: many names, cut short", "application/x-amf", amfCut},
	{"amf: an object shown again and again", "application/x-amf", amfAgain},
	{"amf: empty objects", "application/x-amf",
		func(n int) string { return amfList(n/4, strings.Repeat("\x03\x00\x00\x09", n/4)) }},
	{"amf: small objects", "application/x-amf",
		func(n int) string { return amfList(n/7, strings.Repeat("\x03\x00\x00\x05\x00\x00\x09", n/7)) }},
	{"amf: fields", "application/x-amf",
		func(n int) string {
			return amfList(1, "\x03"+strings.Repeat("\x00\x01a\x05", n/4)+"\x00\x00\x09")
		}},
	{
		"amf: nulls",
		"application/x-amf",
		func(n int) string { return amfList(n, strings.Repeat("\x05", n)) },
	},
	{"amf: undefined values", "application/x-amf",
		func(n int) string { return amfList(n, strings.Repeat("\x06", n)) }},
	{"amf: great numbers", "application/x-amf",
		func(n int) string {
			return amfList(n/9, strings.Repeat("\x00\x7f\xe0\x00\x00\x00\x00\x00\x00", n/9))
		}},
	{"amf: a text", "application/x-amf", func(n int) string {
		return amfList(1,
			"\x03\x00\x01a\x0c"+uint32Text(n/2*2)+strings.Repeat("\u00e9", n/2)+"\x00\x00\x09")
	}},
	{
		"amf: traits",
		"application/x-amf",
		func(n int) string { return amfValue("\x0a" + strings.Repeat("\x7f", n)) },
	},
}

// amfList is a message whose body is a list of n values.
func amfList(n int, values string) string {
	return amfRequest("\x00", "\x0a"+uint32Text(n)+values)
}

// amfValue is a message whose body is a list of one AMF3 value.
func amfValue(value string) string {
	return amfRequest("\x03", "\x0a"+uint32Text(1)+"\x11"+value)
}

// amfRequest wraps a value in an envelope with one request.
func amfRequest(version, value string) string {
	return "\x00" + version + "\x00\x00\x00\x01\x00\x01s\x00\x02/1\x00\x00\x00\x00" + value
}

func uint32Text(n int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }

// amfMessages has messages of different names, and when those are used up, longer ones.
func amfMessages(n int) string {
	const most = 65535
	count := min(most, n/20)
	var out strings.Builder
	out.WriteString("\x00\x00\x00\x00" + string(binary.BigEndian.AppendUint16(nil, uint16(count))))
	for i := range count {
		out.WriteString("\x00\x01t\x00\x08")
		digits := uint64(i&0x3f | i>>6&0x3f<<8 | i>>12<<16)
		out.Write(binary.BigEndian.AppendUint64(nil, 0x2121212121212121+digits))
		out.WriteString("\xff\xff\xff\xff\x0a\x00\x00\x00\x00")
	}
	return out.String()
}

// amfShared has arrays that each hold the one before as often as there is room: 2 to the
// power of 190 values if they were written out.
func amfShared(n int) string {
	const levels = 190
	times := max(2, n/levels/3)
	values := "\x0a" + uint32Text(times) + strings.Repeat("\x05", times)
	for i := range levels {
		one := "\x07" + string(binary.BigEndian.AppendUint16(nil, uint16(i)))
		values += "\x0a" + uint32Text(times) + strings.Repeat(one, times)
	}
	return amfList(levels+1, values)
}

// amfSelf is an array of which every element is the array.
func amfSelf(n int) string {
	return amfList(1, "\x0a"+uint32Text(n/3)+strings.Repeat("\x07\x00\x00", n/3))
}

// amfProxies has proxies in proxies, each of which escapes the text of the one within.
func amfProxies(n int) string {
	const class = "flex.messaging.io.ObjectProxy"
	depth := min(150, n/8)
	return amfValue("\x0a\x07\x3b" + class + strings.Repeat("\x0a\x01", depth) + "\x06" +
		"\x03\"" + strings.Repeat("\x04\x01", n/2))
}

// amfTraits has objects of one field, with a name that takes half of the room.
func amfTraits(n int) string {
	n = min(n, 1<<20)
	name := amfHeader(n/2) + strings.Repeat("a", n/2)
	objects := n / 6
	return amfValue("\x09" + amfHeader(objects+1) + "\x01" + "\x0a\x13\x01" + name + "\x01" +
		strings.Repeat("\x0a\x01\x01", objects))
}

// amfCut has objects of very many names in each other, and ends in the innermost.
func amfCut(n int) string {
	names := min(n, 1<<20) / 2
	return amfValue(
		"\x0a" + amfUint29(names<<4|3) + "\x01" + "\x03a" + strings.Repeat("\x00", names-1) +
			strings.Repeat("\x0a\x01", 150),
	)
}

// amfAgain shows an object of many names again and again.
func amfAgain(n int) string {
	var object strings.Builder
	for i := range n / 24 {
		fmt.Fprintf(&object, "\x00\x09%09d\x05", i)
	}
	return amfList(1+n/6, "\x03"+object.String()+"\x00\x00\x09"+strings.Repeat("\x07\x00\x00", n/6))
}

// amfHeader is the length of an AMF3 string or array.
func amfHeader(n int) string { return amfUint29(n<<1 | 1) }

func amfUint29(n int) string {
	return string([]byte{byte(n>>22) | 0x80, byte(n>>15) | 0x80, byte(n>>8) | 0x80, byte(n)})
}
