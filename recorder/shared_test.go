//go:build unix

package recorder

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"warcorder/recorder/record"
	"warcorder/recorder/shared/server"
	"warcorder/store/collection"
)

// sharing opens a recorder that shares its originals by a server.
func sharing(t *testing.T, s *server.Server, cfg Config) *recording {
	t.Helper()
	cfg.DedupShared = s.URL()
	cfg.sharedPatience = time.Minute // on a machine that is busy an answer may take its time
	return open(t, t.TempDir(), cfg)
}

// published waits until others have been told of so many originals.
func (c *recording) published(n int64) {
	c.t.Helper()
	for range 1000 {
		if c.Status().DedupShared.Published >= n {
			return
		}
		time.Sleep(5 * time.Millisecond) // nothing tells when a goroutine has told another process
	}
	c.t.Fatalf("%+v", c.Status().DedupShared)
}

// TestShared: what another recorder has is not stored, if that has just been recorded, wherever both are
// set to look; but for what is no original here or there.
func TestShared(t *testing.T) {
	t.Parallel()
	every, byURL := record.DedupConfig{}, record.DedupConfig{Dedup: record.DedupURL}
	plain := answerOf(200, "X: 1\r\n", body2K)
	inParts := answerOf(200, inChunks, chunkedBy(100, body2K))
	part := answerOf(206, "Content-Range: bytes 0-2047/4096\r\nETag: \"a\"\r\n", body2K)
	big := answerOf(200, "", randomText(3<<20))
	const u2 = outsideURL + "2"
	for _, c := range []struct {
		name             string
		there, here      Config
		url, first, next string
		want             int
	}{
		{"the same", Config{}, Config{}, outsideURL, plain, plain, 1},
		{"another URL", Config{}, Config{}, u2, plain, answerOf(200, "Y: 2\r\n", body2K), 1},
		{"another body", Config{}, Config{}, outsideURL, plain, answerOf(200, "", body2K+"x"), 0},
		{"another status", Config{}, Config{}, outsideURL, plain, answerOf(203, "", body2K), 0},
		{"in chunks, of plain", Config{}, Config{}, outsideURL, plain, inParts, 0},
		{"in other chunks", Config{}, Config{}, outsideURL, inParts,
			answerOf(200, inChunks, chunkedBy(77, body2K)), 1},
		{"by URL in both", Config{Dedup: byURL}, Config{Dedup: byURL}, outsideURL, plain, plain, 1},
		{"by URL in both, another", Config{Dedup: byURL}, Config{Dedup: byURL}, u2, plain, plain, 0},
		{"by URL there", Config{Dedup: byURL}, Config{}, outsideURL, plain, plain, 0},
		{"too old", Config{}, Config{Dedup: record.DedupConfig{DedupFor: 1}}, outsideURL, plain, plain, 0},
		{"too small here", Config{}, Config{Dedup: record.DedupConfig{MinSize: 4096}}, outsideURL, plain,
			plain, 0},
		{"a part", Config{}, Config{Dedup: every}, outsideURL, part, part, 1},
		{"a part of another URL", Config{}, Config{}, u2, part, part, 0},
		{"a large one", Config{}, Config{}, u2, big, big, 1},
		{"sha256 in both", Config{Digest: "sha256"}, Config{Digest: "sha256"}, u2, plain, plain, 1},
		{"sha256 there", Config{Digest: "sha256"}, Config{}, u2, plain, plain, 0},
		{"entity here", Config{}, Config{PayloadDigest: "entity"}, u2, plain, plain, 0},
		{"entity in both", Config{PayloadDigest: "entity"}, Config{PayloadDigest: "entity"}, u2, inParts,
			inParts, 1},
		{"WARC 1.0 there", Config{WARCVersion: "1.0"}, Config{}, u2, plain, plain, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := server.Start(t)
			there, here := sharing(t, s, c.there), sharing(t, s, c.here)
			there.settled(outsideURL, exampleRequest, c.first)
			there.published(1)
			for range 2 {
				here.settled(c.url, exampleRequest, c.next)
			}
			if found := here.Status().DedupShared.Found; c.want > 0 && found != 2 || c.want == 0 && found != 0 {
				t.Errorf("%+v", here.Status().DedupShared)
			}
			there.close()
			here.close()
			if c.want > 0 {
				c.here.DedupShared = ""
				checkOutside(t, here.dir, there.dir, c.here, 2)
				checkNames(t, here.dir, "unix://"+s.Path)
			}
		})
	}
}

// checkNames checks that the first file of a collection names the archive.
func checkNames(t *testing.T, dir, want string) {
	t.Helper()
	names, err := collection.DedupFrom(filepath.Join(dir, "archive", readBack(t, dir)[0].file))
	if err != nil || len(names) != 1 || names[0] != want {
		t.Errorf("%q, %v", names, err)
	}
}

// TestSharedHandful: what a worker has in hand is asked for at once, in one question.
func TestSharedHandful(t *testing.T) {
	t.Parallel()
	s := server.Start(t)
	there, here := sharing(t, s, Config{}), sharing(t, s, Config{})
	for i := range 40 {
		there.commit(fmt.Sprint(outsideURL, i), exampleRequest, answerOf(200, "", fmt.Sprint(body2K, i)))
	}
	there.close()
	for i := range 80 {
		here.commit(fmt.Sprint(outsideURL, i/2), exampleRequest, answerOf(200, "", fmt.Sprint(body2K, i/2)))
	}
	if err := here.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	here.close()
	if got := len(revisitsOf(t, here.dir)); got != 80 {
		t.Errorf("%d revisits", got)
	}
}
