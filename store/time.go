package store

import (
	"encoding/binary"
	"time"
)

// firstTime and lastTime are the ends of the time that a timestamp can tell.
var (
	firstTime = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	lastTime  = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
)

// FourDigitYear returns t in UTC; one whose year has not four digits becomes the nearest moment
// whose year has, so that timestamps sort as their times do.
func FourDigitYear(t time.Time) time.Time {
	switch {
	case t.Before(firstTime):
		return firstTime
	case t.After(lastTime):
		return lastTime
	}
	return t.UTC()
}

// appendSeconds appends t, as FourDigitYear gives it, as YYYYMMDDhhmmss.
func appendSeconds(dst []byte, t time.Time) []byte {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	dst = appendTwo(appendTwo(dst, year/100), year%100)
	dst = appendTwo(appendTwo(dst, int(month)), day)
	dst = appendTwo(appendTwo(dst, hour), minute)
	return appendTwo(dst, second)
}

func appendTwo(dst []byte, n int) []byte { return append(dst, '0'+byte(n/10), '0'+byte(n%10)) }

// momentOf returns the time of 8 bytes: microseconds since 1970.
func momentOf(v []byte) time.Time {
	return FourDigitYear(time.UnixMicro(int64(binary.BigEndian.Uint64(v))))
}
