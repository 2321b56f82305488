package cmd

import "testing"

func TestCollectionName(t *testing.T) {
	for _, name := range []string{"", "../x", "a/b", ".", "..", ".hidden"} {
		f := collectionFlags{Collection: name, Dir: "collections"}
		if path, err := f.dir(); err == nil {
			t.Errorf("%q gives %q", name, path)
		}
	}
}
