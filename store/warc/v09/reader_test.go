package v09

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"warcorder/store/warc"
)

// walk reads a file to its end, over all damage, and returns the IDs of the records with their
// blocks, and the damage.
func walk(t testing.TB, file string) (found []string, damage []string) {
	t.Helper()
	r := newReader(t, file)
	for {
		rec, err := r.Next()
		if err == nil {
			var block []byte
			block, err = io.ReadAll(rec.Block)
			if err == nil {
				err = rec.Close()
			}
			if err == nil {
				found = append(found, rec.ID+" "+string(block))
				continue
			}
		}
		if err == io.EOF {
			return found, damage
		}
		var d *warc.Damage
		if !errors.As(err, &d) {
			t.Fatal(err)
		}
		damage = append(damage, fmt.Sprint(d.Offset, " ", d.Reason))
		if _, err := r.Resync(); err != nil && err != io.EOF {
			t.Fatal(err)
		}
	}
}

// five are records whose blocks look like what a reader looks for.
var five = []string{
	resource(0, "zero"),
	resource(1, ""),
	resource(2, "warc/0.9 12 is not a record\r\n\r\nwarc/0.9\r\n\r\n"),
	resource(3, "\r\n\r\n"),
	resource(4, strings.Repeat("four", 50_000)),
}

var fiveFound = []string{
	"uuid:0 zero", "uuid:1 ", "uuid:2 warc/0.9 12 is not a record\r\n\r\nwarc/0.9\r\n\r\n",
	"uuid:3 \r\n\r\n",
	"uuid:4 " + strings.Repeat("four", 50_000),
}

func TestReaderForms(t *testing.T) {
	plain := strings.Join(five, "")
	var members, zeroSL, trimmed, spread, pieces string
	for _, s := range five {
		members += gzipped(t, s)
		m := []byte(member(s))
		clear(m[16:24]) // `sl` without values: to be ignored (WARC 0.9 section 9.2)
		zeroSL += string(m)
		trimmed += strings.TrimSuffix(s, "\r\n\r\n")
		spread += s + "\n\r\n\n"
	}
	for s := plain; s != ""; {
		n := min(len(s), 777)
		pieces += gzipped(t, s[:n]) + gzipped(t, "")
		s = s[n:]
	}
	tests := map[string]string{
		"plain":                     plain,
		"one member":                gzipped(t, plain),
		"a member each":             members,
		"a member each, sl without": zeroSL,
		"members across records":    pieces,
		"two records in a member": member(five[0]+five[1]) + member(five[2]+five[3]) +
			member(five[4]),
		"no line breaks after":         trimmed,
		"no line breaks after, gzip":   gzipped(t, trimmed),
		"more line breaks after":       spread,
		"line breaks before the first": "\r\n\n" + plain,
		"a member each, with sl": member(five[0]) + member(five[1]) + member(five[2]) + member(
			five[3]) + member(
			five[4],
		),
	}
	for name, file := range tests {
		t.Run(name, func(t *testing.T) {
			found, damage := walk(t, file)
			if !slices.Equal(found, fiveFound) || damage != nil {
				t.Errorf("found %.300q, damage %q", found, damage)
			}
		})
	}
}

func TestReaderHeader(t *testing.T) {
	file := "warc/0.9\t    000201 response   http://a.example/?q=warc/0.9 \t 20060102030405 " +
		"message/http; msgtype=response     uuid:x   \n" +
		"# a comment\n" +
		"Name:\n" +
		"\t folded\n" +
		"   \n" +
		"  twice  \r\n" +
		"Empty:\r\n" +
		"Any name, \"really\" : a: b \r\n" +
		"\n"
	file += strings.Repeat("x", 201-len(file)) + "\r\n\r\n"
	rec, err := newReader(t, file).Next()
	if err != nil {
		t.Fatal(err)
	}
	want := Header{
		Type: "response", URI: "http://a.example/?q=warc/0.9", Date: "20060102030405",
		ContentType: "message/http; msgtype=response", ID: "uuid:x",
		Fields: warc.Header{
			{Name: "Name", Value: "folded twice"},
			{Name: "Empty", Value: ""},
			{Name: `Any name, "really"`, Value: "a: b"},
		},
	}
	if fmt.Sprint(rec.Header) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", rec.Header, want)
	}
	if b, err := io.ReadAll(rec.Block); err != nil || strings.Trim(string(b), "x") != "" ||
		int64(len(b)) != rec.Size {
		t.Errorf("block %q, %v", b, err)
	}
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
}

func TestReaderBadHeaders(t *testing.T) {
	tests := map[string]string{
		"another version":        strings.Replace(five[0], "warc/0.9", "warc/0.8", 1),
		"too few words":          strings.Replace(five[0], "text/plain ", "", 1),
		"length is no number":    strings.Replace(five[0], "warc/0.9 ", "warc/0.9 +", 1),
		"length is of the block": strings.Replace(five[0], five[0][:12], "warc/0.9 4 r", 1),
		"no such date":           strings.Replace(five[0], "20060102030405", "20061302030405", 1),
		"a field without colon": record("resource http://a.example/ 20060102030405 text/plain uuid:1",
			[]string{"Nothing"}, ""),
		"begins with a fold": record("resource http://a.example/ 20060102030405 text/plain uuid:1",
			[]string{" x"}, ""),
		"ends in its header": "warc/0.9 100 resource http://a.example/ 20060102030405 text/plain uuid:1\r\n",
		"too long": record(
			"resource http://a.example/"+strings.Repeat("x", maxHeader)+" 20060102030405 text/plain uuid:1",
			nil,
			"",
		),
		"no WARC at all": "%PDF-1.4 and so on",
	}
	for name, file := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := newReader(t, file).Next()
			var d *warc.Damage
			if !errors.As(err, &d) || d.File != "f.warc" || d.Offset != 0 {
				t.Fatalf("%v", err)
			}
			if found, _ := walk(t, file+five[1]); !slices.Equal(found, fiveFound[1:2]) {
				t.Errorf("behind it: %q", found)
			}
		})
	}
}

func TestResync(t *testing.T) {
	length := func(s, old, new string) string {
		return strings.Replace(s, "warc/0.9 "+old, "warc/0.9 "+new, 1)
	}
	corrupt := []byte(member(five[4]))
	for i := 40; i < 60; i++ {
		corrupt[i] ^= 0x55
	}
	sum := []byte(member(five[0]))
	sum[len(sum)-6] ^= 1
	first := len(five[0])
	tests := map[string]struct {
		file   string
		found  []string // numbers in fiveFound
		damage []string
	}{
		"data-length too long": {
			length(five[0], "8", "9") + five[1] + five[2],
			[]string{"1", "2"},
			[]string{"0 " + ErrLength.Error() + `: ".9 76 re" follows`},
		},
		"data-length too short": {
			length(five[0], "80", "79") + five[1],
			[]string{"1"},
			[]string{`0 ` + ErrLength.Error() + `: "o\r\n\r\nwar" follows`},
		},
		"data-length beyond the end": {
			five[0] + length(five[1], "", "99") + five[2],
			[]string{"0", "2"},
			[]string{fmt.Sprint(first, " ", ErrEnd)},
		},
		"cut off": {
			five[0] + five[4][:1000],
			[]string{"0"},
			[]string{fmt.Sprint(first, " ", ErrEnd)},
		},
		"cut off, gzip": {member(five[0]) + member(five[4])[:200], []string{"0"}, nil},
		"other bytes between": {
			five[0] + "other bytes" + five[1],
			[]string{"0", "1"},
			[]string{fmt.Sprint(first, " no good WARC header: it begins with \"other by\"")},
		},
		"zeros at the end": {
			five[0] + "\x00\x00\x00\x00",
			[]string{"0"},
			[]string{fmt.Sprint(first, " no good WARC header: it begins with \"\\x00\\x00\\x00\\x00\"")},
		},
		"a corrupt member": {
			member(five[0]) + string(corrupt) + member(five[1]) + member(five[2]),
			[]string{"0", "1", "2"},
			nil,
		},
		"a wrong gzip checksum": {
			string(sum) + member(five[1]),
			[]string{"1"},
			[]string{"0 " + warc.ErrChecksum.Error()},
		},
		"other bytes between, gzip": {
			member(five[0]) + "other bytes\x1f\x8b\x08" + member(five[1]),
			[]string{"0", "1"},
			nil,
		},
		"in one gzip member": {
			gzipped(t, five[0]+length(five[1], "7", "9")+five[2]+five[3]),
			[]string{"0", "2", "3"},
			nil,
		},
		"data-length long, gzip": {
			member(length(five[0], "8", "9")) + member(five[1]),
			[]string{"1"},
			nil,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			found, damage := walk(t, test.file)
			var want []string
			for _, n := range test.found {
				want = append(want, fiveFound[n[0]-'0'])
			}
			if !slices.Equal(found, want) {
				t.Errorf("found %.300q", found)
			}
			if len(damage) == 0 || test.damage != nil && !slices.Equal(damage, test.damage) {
				t.Errorf("damage %q", damage)
			}
		})
	}
}

// TestEveryCut cuts files at every byte: what lies before the cut is found, whole records only.
func TestEveryCut(t *testing.T) {
	plain := five[0] + five[2] + five[3]
	members := member(five[0]) + member(five[2]) + member(five[3])
	want := []string{fiveFound[0], fiveFound[2], fiveFound[3]}
	for name, file := range map[string]string{
		"plain": plain, "gzip": members, "one member": gzipped(t, plain),
	} {
		for cut := range len(file) {
			found, _ := walk(t, file[:cut])
			if len(found) > len(want) || !slices.Equal(found, want[:len(found)]) {
				t.Fatalf("%s cut at %d: %q", name, cut, found)
			}
		}
	}
}

// TestEveryByte breaks files at every byte: only records that the byte is part of, or beside, may
// be missing.
func TestEveryByte(t *testing.T) {
	files := []string{
		five[0] + five[1] + five[3] + five[0],
		member(five[0]) + member(five[1]) + member(five[3]) + member(five[0]),
	}
	for i, file := range files {
		for at := range len(file) {
			for _, flip := range []byte{0x01, 0x08, 0x55, 0xff} {
				b := []byte(file)
				b[at] ^= flip
				if found, damage := walk(t, string(b)); len(found) < 2 {
					t.Fatalf("file %d broken at %d by %#x: found %q, damage %q", i, at, flip, found, damage)
				}
			}
		}
	}
}

// TestOffsets says where records lie: in the file, or inside of a gzip member.
func TestOffsets(t *testing.T) {
	m := member(five[0])
	tests := map[string]struct {
		file string
		want []string
	}{
		"plain": {five[0] + "\r\n" + five[1], []string{"0+0", fmt.Sprint(len(five[0])+2, "+0")}},
		"gzip":  {m + m, []string{"0+0", fmt.Sprint(len(m), "+0")}},
		"in members": {
			m + member(five[0]+five[1]),
			[]string{"0+0", fmt.Sprint(len(m), "+0"), fmt.Sprint(len(m), "+", len(five[0]))},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newReader(t, test.file)
			var got []string
			rec, err := r.Next()
			for ; err == nil; rec, err = r.Next() {
				got = append(got, fmt.Sprint(rec.Offset, "+", rec.Inside))
			}
			if err != io.EOF || !slices.Equal(got, test.want) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range five[:4] {
		f.Add([]byte(s + five[0]))
		f.Add([]byte(member(s) + gzipped(f, five[1]+s)))
	}
	f.Add([]byte(testdata(f, "appendix-b.warc")))
	f.Add([]byte(testdata(f, "segment-2.warc") + testdata(f, "segment-1.warc")))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 64<<10 {
			return
		}
		found, damage := walk(t, string(file))
		if len(file) > 0 && strings.Trim(string(file), "\r\n") != "" && found == nil && damage == nil {
			if !strings.HasPrefix(string(file), gzipMagic[:2]) {
				t.Error("neither a record nor damage")
			}
		}
		again := imported(t, string(file)) // and all that is found can be written
		if len(again.records) > len(found) {
			t.Errorf("%d records found, %d written", len(found), len(again.records))
		}
	})
}
