package recorder

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/store/collection"
)

func TestConfigRefused(t *testing.T) {
	for _, cfg := range []Config{
		{WARCPrefix: "iipc-x"}, {QueueSize: -1}, {CommitInterval: -time.Second}, {WARCMaxAge: -1},
		{WARCName: "{timestamp}"}, {WARCVersion: "1.2"}, {Digest: "md5"}, {PayloadDigest: "omit"},
		{Sync: "never"}, {Dedup: record.DedupConfig{Dedup: "yes"}},
		{Dedup: record.DedupConfig{MinSize: -1}}, {Dedup: record.DedupConfig{DedupFor: -1}},
		{WARCInfo: record.WARCInfo{Operator: "two\nlines"}},
		{WARCInfo: record.WARCInfo{Robots: strings.Repeat("x", 4<<10+1)}},
	} {
		if r, err := Open(cfg, collection.Dir(t.TempDir()), zerolog.Nop()); err == nil {
			t.Errorf("%+v: no error", cfg)
			r.Close()
		}
	}
}

// TestConfigDefaults: the zero Config is the default one, but for fields whose zero is a setting.
func TestConfigDefaults(t *testing.T) {
	zero, err := Config{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.MinFreeSpace, want.Dedup.MinSize = 0, 0
	if !reflect.DeepEqual(zero, want) {
		t.Errorf("the zero Config is\n%+v\nthe default is\n%+v", zero, want)
	}
	if same, err := Default().withDefaults(); err != nil || !reflect.DeepEqual(same, Default()) {
		t.Errorf("the default becomes %+v, %v", same, err)
	}
}
