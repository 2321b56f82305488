package recorder

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/rs/zerolog"
)

func TestConfigRefused(t *testing.T) {
	for _, cfg := range []Config{
		{WARCPrefix: "iipc-x"}, {QueueSize: -1}, {CommitInterval: -time.Second}, {WARCMaxAge: -1}, {WARCName: "{timestamp}"}, {WARCVersion: "1.2"}, {Digest: "md5"},
		{PayloadDigest: "omit"}, {Sync: "never"}, {Dedup: DedupConfig{Dedup: "yes"}}, {Dedup: DedupConfig{MinSize: -1}}, {Dedup: DedupConfig{DedupFor: -1}},
		{WARCInfo: WARCInfo{Operator: "two\nlines"}}, {WARCInfo: WARCInfo{Robots: strings.Repeat("x", maxInfo+1)}},
	} {
		if r, err := Open(cfg, t.TempDir(), zerolog.Nop()); err == nil {
			t.Errorf("%+v: no error", cfg)
			r.Close()
		}
	}
}

// TestConfigDefaults compares the defaults that the command line shows with those of a zero Config.
func TestConfigDefaults(t *testing.T) {
	cfg, err := Config{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	checkDefaults(t, reflect.ValueOf(cfg))
	checkDefaults(t, reflect.ValueOf(cfg.Dedup))
}

func checkDefaults(t *testing.T, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		field := v.Type().Field(i)
		var err error
		switch field.Name {
		case "Keys", "Progress", "MinFreeSpace", "MinSize", "WARCInfo", "Dedup":
			// without any there is the URL key alone; no setting; 0 is one; the same; it says nothing; see
			// above
			continue
		}
		var want any = field.Tag.Get("default")
		switch v.Field(i).Interface().(type) {
		case time.Duration:
			want, err = time.ParseDuration(want.(string))
		case int64:
			var n uint64
			n, err = humanize.ParseBytes(want.(string))
			want = int64(n)
		case Mode:
			var mode Mode
			err = mode.UnmarshalText([]byte(want.(string)))
			want = mode
		}
		if p, ok := v.Field(i).Interface().(*bool); ok {
			want = p
			if fmt.Sprint(*p) != field.Tag.Get("default") {
				t.Errorf("%s is %v", field.Name, *p)
			}
		}
		if got := v.Field(i).Interface(); err != nil || got != want {
			t.Errorf("%s is %v, shown as %v (%v)", field.Name, got, want, err)
		}
		if field.Tag.Get("name") == "" || field.Tag.Get("help") == "" {
			t.Errorf("%s has no name or help", field.Name)
		}
	}
}
