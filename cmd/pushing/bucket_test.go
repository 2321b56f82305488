package pushing

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/store/objects/gateway"
)

// TestBucket: a table in a bucket is as one in a directory: parts come and are written anew, another
// recorder's stay, and what is gone is taken away.
func TestBucket(t *testing.T) {
	server := gateway.Start(t)
	const place = "parquet=s3://" + gateway.Bucket + "/some/table"
	stored := filepath.Join(server.Dir, gateway.Bucket, "some", "table")
	target, err := ParseTarget(place)
	if err != nil || target.String() != place {
		t.Fatal(target, err)
	}
	one, other := newCollection(t), newCollection(t)
	push := func(c *testCollection, want string) {
		t.Helper()
		if err := c.push(target).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if c.last() != want {
			t.Errorf("%s, want %s", c.last(), want)
		}
	}
	one.add("a.warc.gz", 10, false)
	push(one, "10 lines, 1 parts, 0 dropped")
	one.add("a.warc.gz", 10, true)
	one.add("b.warc.gz", 5, true)
	push(one, "25 lines, 2 parts, 0 dropped")
	if got, want := rowsIn(t, stored), one.exported(); len(got) != 25 || !slices.Equal(got, want) {
		t.Errorf("%d rows, %d lines", len(got), len(want))
	}
	other.add("c.warc.gz", 7, true)
	push(other, "7 lines, 1 parts, 0 dropped")
	other.add("a.warc.gz", 1, true)
	err = other.push(target).Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "of another recorder") {
		t.Error(err)
	}
	if rows := rowsIn(t, stored); len(rows) != 32 {
		t.Errorf("%d rows", len(rows))
	}
	p := one.push(target)
	gone := table{Push: p, sent: Sent{}}
	w := fileParts{table: &gone, ctx: context.Background(), file: "b.warc.gz"}
	if err := w.drop(0); err != nil || gone.sent.Dropped != 1 || len(rowsIn(t, stored)) != 27 {
		t.Errorf("%d dropped, %v", gone.sent.Dropped, err)
	}
	for _, c := range []*testCollection{one, other} {
		for _, told := range c.told {
			if strings.Contains(told, gateway.SecretKey) {
				t.Error(told)
			}
		}
	}
}
