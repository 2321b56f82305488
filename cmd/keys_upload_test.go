package cmd

import (
	"path/filepath"
	"testing"

	"warcorder/store/objects/gateway"
)

// uploadKeys say what goes into object storage. Where that is, the environment says.
func uploadKeys() []keyRow {
	return []keyRow{
		{key: "upload", shows: showUpload},
		{key: "upload-cdxj", shows: showUploadCDXJ},
		{key: "keep-local", shows: showKeepLocal},
	}
}

// uploads records an exchange beside object storage, until its file is there. It returns a function that
// counts the objects of a pattern, and one that counts the WARC files that are still here.
func (b *keyBench) uploads(t *testing.T, file string) (there, here func(pattern string) int) {
	t.Helper()
	storage := gateway.Run(t)
	var variables []string
	for name, value := range gateway.Environment(storage.Endpoint) {
		variables = append(variables, name+"="+value)
	}
	r := b.recordAmid(t, variables, t.TempDir(),
		"warc-max-age: 1s\nupload: s3://"+gateway.Bucket+"/news\n"+file)
	r.fetch(newSite(t).plain.URL + "/bytes/100")
	count := func(folder string) func(string) int {
		return func(pattern string) int {
			found, _ := filepath.Glob(filepath.Join(folder, pattern))
			return len(found)
		}
	}
	there = count(filepath.Join(storage.Dir, gateway.Bucket, "news"))
	eventually(t, "the file is there", func() bool { return there("*.warc.gz") == 1 })
	return there, count(filepath.Join(r.dir, "archive"))
}

func showUpload(t *testing.T, b *keyBench) {
	there, here := b.uploads(t, "")
	if here("*.warc.gz") != 1 || there("*") != 1 {
		t.Errorf("%d here, %d objects", here("*.warc.gz"), there("*"))
	}
}

func showUploadCDXJ(t *testing.T, b *keyBench) {
	there, _ := b.uploads(t, "upload-cdxj: true")
	eventually(t, "its lines are there", func() bool { return there("*.warc.gz.cdxj") == 1 })
}

func showKeepLocal(t *testing.T, b *keyBench) {
	_, here := b.uploads(t, "keep-local: \"0\"")
	eventually(t, "it is here no more", func() bool { return here("*.warc.gz*") == 0 })
	_, kept := b.uploads(t, "keep-local: 24h")
	if kept("*.warc.gz") != 1 {
		t.Error("one that is younger is not here")
	}
}
