package verify_test

import (
	"testing"

	"warcorder/recorder"
)

// TestHealthyOptions finds nothing in what is recorded with other settings, and tells the senses of
// payload digests apart.
func TestHealthyOptions(t *testing.T) {
	for name, cfg := range map[string]recorder.Config{
		"entity": {PayloadDigest: "entity"},
		"sha256": {Digest: "sha256"},
		"1.0":    {WARCVersion: "1.0"},
		"no sl":  {NoSL: true},
		"all":    {PayloadDigest: "entity", Digest: "sha256", WARCVersion: "1.0", NoSL: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			record(t, cfg, dir, healthy())
			found := checkAll(t, dir)
			if len(found.all) > 0 || !found.Indexed || found.Captures == 0 {
				t.Errorf("%+v %+v", found.all, found.Summary)
			}
			if d, entity := found.Digests, cfg.PayloadDigest == "entity"; (d.Entity > 0) != entity ||
				(d.Wire > 0) == entity || d.Both == 0 {
				t.Errorf("%+v", d)
			}
		})
	}
}
