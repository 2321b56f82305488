package ranges

import (
	"math/big"
	"slices"
	"strings"
	"testing"
)

// TestParse: which fields are ranges of bytes, and which bytes of ten they mean.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		field string
		want  string // the bytes of "0123456789", spans apart by blanks; "-" if the field is ignored
	}{
		{"bytes=0-0", "0"},
		{"bytes=2-4", "234"},
		{"bytes=0-", "0123456789"},
		{"bytes=7-", "789"},
		{"bytes=-3", "789"},
		{"bytes=-30", "0123456789"},
		{"bytes=-0", ""},
		{"bytes=9-9", "9"},
		{"bytes=8-100", "89"},
		{"bytes=10-", ""},
		{"bytes=10-20", ""},
		{"bytes=007-0008", "78"},
		{"bytes=0-9223372036854775807", "0123456789"},
		{"bytes=0-99999999999999999999999999", "0123456789"},
		{"bytes=-99999999999999999999999999", "0123456789"},
		{"bytes=99999999999999999999999999-", ""},
		{"bytes=18446744073709551616-18446744073709551617", ""},

		{"bytes=0-1,4-5", "01 45"},
		{"bytes=4-5,0-1", "45 01"},
		{"bytes=0-0,-1", "0 9"},
		{"bytes=0-3,2-5", "012345"},
		{"bytes=0-1,2-3", "0123"},
		{"bytes=6-7,0-1,1-2,8-8", "678 012"},
		{"bytes=0-,0-,0-", "0123456789"},
		{"bytes=0-1,20-30", "01"},
		{"bytes=0-1,5-6,3-3,2-7", "01234567"},
		{"bytes=5-5,0-0,3-3,2-7", "234567 0"},

		{"BYTES=0-1", "01"},
		{" bytes = 0 - 1 ,\t4-5 ", "01 45"},
		{"bytes=,0-1,,", "01"},
		{"bytes= - 2", "89"},

		{"", "-"},
		{"bytes", "-"},
		{"bytes=", "-"},
		{"bytes=,", "-"},
		{"bytes=-", "-"},
		{"bytes=5", "-"},
		{"bytes=3-2", "-"},
		{"bytes=0-1,3-2", "-"},
		{"bytes=a-b", "-"},
		{"bytes=0-1x", "-"},
		{"bytes=0x0-1", "-"},
		{"bytes=+0-1", "-"},
		{"bytes=0-+1", "-"},
		{"bytes=--1", "-"},
		{"bytes=0-1-2", "-"},
		{"bytes=0 0-1", "-"},
		{"bytes 0-1", "-"},
		{"items=0-1", "-"},
		{"none", "-"},
		{"bytes=0-1, bytes=4-5", "-"}, // two fields, as a list
		{"bytes=\u00a00-1", "-"},
		{"bytes=٣-٤", "-"},
	} {
		t.Run(c.field, func(t *testing.T) {
			if got := shown(c.field); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// shown is what a field takes of the entity 0123456789.
func shown(field string) string {
	set, ok := Parse(field)
	if !ok {
		return "-"
	}
	var shown []string
	for _, s := range set.Of(10) {
		shown = append(shown, "0123456789"[s.First:s.Last+1])
	}
	return strings.Join(shown, " ")
}

// TestMost: a field with very many ranges is ignored, and one with as many as may be is not.
func TestMost(t *testing.T) {
	if set, ok := Parse("bytes=" + strings.Repeat("0-0,", Most)); !ok || len(set) != Most {
		t.Errorf("%d ranges, %v", len(set), ok)
	}
	if _, ok := Parse("bytes=" + strings.Repeat("0-0,", Most+1)); ok {
		t.Error("one range more is not ignored")
	}
}

// TestEmptyEntity: no range lies in an entity without bytes.
func TestEmptyEntity(t *testing.T) {
	for _, field := range []string{"bytes=0-", "bytes=-5", "bytes=0-0,-1"} {
		if set, ok := Parse(field); !ok || len(set.Of(0)) > 0 {
			t.Errorf("%s: %v, %v", field, set, ok)
		}
	}
}

// TestLongFields: a field of 1 MiB costs what its length costs, and keeps nothing of it.
func TestLongFields(t *testing.T) {
	for name, field := range map[string]string{
		"digits": "bytes=0-" + strings.Repeat("9", 1<<20),
		"blanks": "bytes=0-" + strings.Repeat(" ", 1<<20),
		"commas": "bytes=" + strings.Repeat(",", 1<<20),
		"hyphen": "bytes=" + strings.Repeat("-", 1<<20),
		"ranges": "bytes=" + strings.Repeat("0-0,", 1<<18),
	} {
		t.Run(name, func(t *testing.T) {
			if allocs := testing.AllocsPerRun(3, func() { Parse(field) }); allocs > 8 {
				t.Errorf("%v allocations", allocs)
			}
		})
	}
}

// FuzzParse holds Parse and Of against a model that knows each byte by itself.
func FuzzParse(f *testing.F) {
	for _, field := range []string{"bytes=0-1", "bytes=-3,0-", "bytes=4-5 , 0-1,,3-3", "x=1-2",
		"bytes=9-1", "bytes=0-99999999999999999999", "bytes=18446744073709551616-"} {
		f.Add(field, uint8(10))
	}
	f.Fuzz(func(t *testing.T, field string, size uint8) {
		set, ok := Parse(field)
		want, wantOK := modelOf(field, int64(size))
		if ok != wantOK {
			t.Fatalf("%q: %v, want %v", field, ok, wantOK)
		}
		got := make([]bool, size)
		spans := set.Of(int64(size))
		for i, s := range spans {
			if s.First < 0 || s.First > s.Last || s.Last >= int64(size) {
				t.Fatalf("%q: %v is not in the entity", field, s)
			}
			for b := s.First; b <= s.Last; b++ {
				if got[b] {
					t.Fatalf("%q: byte %d is there twice: %v", field, b, spans)
				}
				got[b] = true
			}
			for _, other := range spans[:i] {
				if other.Last+1 == s.First || s.Last+1 == other.First {
					t.Fatalf("%q: %v touches %v", field, s, other)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q of %d: %v, want %v", field, size, spans, want)
		}
	})
}

// modelOf says of each byte of an entity whether a field asks for it.
func modelOf(field string, size int64) (wanted []bool, ok bool) {
	wanted = make([]bool, size)
	unit, list, found := strings.Cut(field, "=")
	if !found || strings.ToLower(strings.Trim(unit, " \t")) != "bytes" {
		return wanted, false
	}
	count := 0
	for _, one := range strings.Split(list, ",") {
		if one = strings.Trim(one, " \t"); one == "" {
			continue
		}
		parts := strings.Split(one, "-")
		if len(parts) != 2 {
			return make([]bool, size), false
		}
		first, last := big.NewInt(0), big.NewInt(1<<62)
		from, to := strings.Trim(parts[0], " \t"), strings.Trim(parts[1], " \t")
		if strings.Trim(from+to, "0123456789") != "" || from+to == "" {
			return make([]bool, size), false
		}
		switch {
		case from == "":
			first.SetString(to, 10)
			first.Sub(big.NewInt(size), first)
		case to == "":
			first.SetString(from, 10)
			last.Add(first, last)
		default:
			first.SetString(from, 10)
			last.SetString(to, 10)
		}
		if most := big.NewInt(1<<63 - 1); from != "" {
			first, last = smaller(first, most), smaller(last, most)
		}
		if first.Cmp(last) > 0 || count == Most {
			return make([]bool, size), false
		}
		count++
		for b := range size {
			at := big.NewInt(b)
			wanted[b] = wanted[b] || first.Cmp(at) <= 0 && at.Cmp(last) <= 0
		}
	}
	return wanted, count > 0
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}
