package recorder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/recorder/record"
	"warcorder/store/collection"
)

func exampleChain(certificates ...string) *Chain {
	var der [][]byte
	for _, certificate := range certificates {
		der = append(der, []byte(certificate))
	}
	return NewChain(der)
}

// TestChain: the certificates of an origin are recorded once a collection, by either lane, over
// several runs, and with an index that was made anew.
func TestChain(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir, Config{})
	first, second := exampleChain("leaf", "root"), exampleChain("leafroot", "")
	c.getOver(first, "one")
	c.getOver(first, "two")
	c.getOver(exampleChain("leaf", "root"), "another connection")
	c.getOver(exampleChain("large"), randomText(3<<20))
	c.getOver(exampleChain(), "no certificates")
	c.getOver(nil, "no TLS")
	x := c.begin("https://example.com/failed", exampleRequest, "")
	x.Fault, x.Chain = "reset", exampleChain("no response")
	x.Commit()
	c.close()
	if err := os.Remove(filepath.Join(dir, collection.IndexName)); err != nil {
		t.Fatal(err)
	}
	c = open(t, dir, Config{})
	c.getOver(exampleChain("leaf", "root"), "third")
	c.getOver(exampleChain("new"), "fourth")
	c.close()

	records := readBack(t, dir)
	ids := map[string]storedRecord{}
	var blocks []string
	for _, r := range records {
		ids[r.get("WARC-Record-ID")] = r
	}
	for _, r := range records {
		if r.get("WARC-Type") != record.Resource {
			continue
		}
		var sum []byte
		for rest := []byte(r.block); len(rest) > 0; {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
				t.Fatalf("%q", r.block)
			}
			sum = append(sum, block.Bytes...)
		}
		blocks = append(blocks, string(sum))
		hash := sha256.Sum256(sum)
		with := ids[r.get("WARC-Concurrent-To")]
		if r.faults != "" ||
			r.get("WARC-Target-URI") != "urn:x-warcorder:tls-chain:sha256:"+hex.EncodeToString(hash[:]) ||
			r.get("Content-Type") != "application/pem-certificate-chain" ||
			r.get("WARC-IP-Address") != "127.0.0.1" || with.header == nil ||
			with.get("WARC-Date") != r.get("WARC-Date") ||
			(with.get("WARC-Type") == "response") == (string(sum) == "no response") {
			t.Errorf("%s %v", r.faults, r.header)
		}
	}
	slices.Sort(blocks)
	if want := []string{"large", "leafroot", "new", "no response"}; !slices.Equal(blocks, want) {
		t.Errorf("%q, want %q", blocks, want)
	}
	if first.hash != second.hash { // DER tells where a certificate ends
		t.Error("the hash is not that of the certificates alone")
	}
}

// TestManyChains: those that are forgotten are asked for in the index.
func TestManyChains(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	onDisk := make(chan struct{})
	c.log.onLine = func(line string) {
		if strings.Contains(line, "tls-chain") {
			close(onDisk)
		}
	}
	c.getOver(exampleChain("one"), "x")
	<-onDisk
	c.Index() // waits until it is there too
	c.chains.mu.Lock()
	clear(c.chains.seen)
	for i := range maxChains {
		c.chains.seen[sha256.Sum256(fmt.Append(nil, i))] = true
	}
	c.chains.mu.Unlock()
	c.getOver(exampleChain("one"), "y")
	c.close()
	if n := len(c.chains.seen); n != 1 {
		t.Errorf("%d chains are remembered", n)
	}
	if all := captures(t, c.dir); len(all) != 3 {
		t.Errorf("%+v", all)
	}
}
