package wacz

import (
	"bytes"
	"testing"
)

// TestList: the parts of what was split.
func TestList(t *testing.T) {
	var out bytes.Buffer
	err := WriteList(&out, Settings{Title: "News", Software: "x", Created: created}, []Named{
		{Part{Bytes: 5, Hash: "sha256:ab"}, "News-0001.wacz"},
		{Part{Bytes: 6, Hash: "sha256:cd"}, "News-0002.wacz"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "profile": "multi-wacz-package",
  "title": "News",
  "created": "2026-11-23T13:05:07Z",
  "software": "x",
  "resources": [
    {
      "name": "news-0001.wacz",
      "path": "News-0001.wacz",
      "hash": "sha256:ab",
      "bytes": 5
    },
    {
      "name": "news-0002.wacz",
      "path": "News-0002.wacz",
      "hash": "sha256:cd",
      "bytes": 6
    }
  ]
}
`
	if out.String() != want {
		t.Error(out.String())
	}
}
