package objects

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/objects/gateway"
)

// TestNoSecrets: whatever a server repeats of what it was sent, no error has it.
func TestNoSecrets(t *testing.T) {
	const token = "sessionTokenOfTheTest"
	echo := func(write func(w http.ResponseWriter, sent string)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			write(w, r.Header.Get("Authorization")+r.Header.Get("X-Amz-Security-Token"))
		}
	}
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
	}{
		{"message", echo(func(w http.ResponseWriter, sent string) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "<Error><Code>AccessDenied</Code><Message>%s</Message></Error>", sent)
		})},
		{"code", echo(func(w http.ResponseWriter, sent string) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", sent)
		})},
		{"no XML", echo(func(w http.ResponseWriter, sent string) { io.WriteString(w, sent) })},
		{"location", echo(func(w http.ResponseWriter, sent string) {
			w.Header().Set("Location", "http://127.0.0.2:1/"+sent)
			w.WriteHeader(http.StatusFound)
		})},
		{"no HTTP", echo(func(w http.ResponseWriter, sent string) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				fmt.Fprintf(conn, "HTTP/1.1 %s\r\n\r\n", sent)
				conn.Close()
			}
		})},
		{"nobody", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.answer)
			if c.answer == nil {
				server.Close()
			}
			defer server.Close()
			gateway.Use(t, server.URL)
			t.Setenv("AWS_SESSION_TOKEN", token)
			t.Setenv("AWS_MAX_ATTEMPTS", "1")
			s, err := open(t.Context(), time.Second, time.Second)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for _, err := range all(t, s) {
				for _, secret := range []string{gateway.AccessKey, gateway.SecretKey, token, "AWS4", "Signature=",
					"uploadId", "x-id"} {
					if err == nil || strings.Contains(err.Error(), secret) {
						t.Errorf("%s: %v", secret, err)
					}
				}
			}
		})
	}
}

// all are the errors of one request of each kind.
func all(t *testing.T, s *Storage) (errs []error) {
	ctx, r := t.Context(), &store.Remote{Bucket: "bucket", Key: "key", Size: 10, ETag: "tag"}
	_, err := s.Put(ctx, upload("key", []byte("text")))
	errs = append(errs, err)
	_, err = s.Head(ctx, "bucket", "key")
	errs = append(errs, err, s.verify(ctx, r), s.Delete(ctx, "bucket", "key", "tag"))
	_, err = s.Stream(ctx, r, 0)
	errs = append(errs, err)
	_, err = s.Reader(r).ReadAt(make([]byte, 10), 0)
	errs = append(errs, err)
	_, err = s.parts(ctx, &Begun{Bucket: "bucket", Key: "key", UploadID: "id"})
	errs = append(errs, err)
	for _, err = range s.List(ctx, Place{Bucket: "bucket"}) {
		errs = append(errs, err)
	}
	return errs
}

// TestEndlessList: a list that goes on where it has been, is too long, or has what was not asked
// for comes to an end.
func TestEndlessList(t *testing.T) {
	const object = "<Contents><Key>p/a</Key><Size>1</Size></Contents>"
	more := "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"
	for name, list := range map[string]string{
		"the same again": object + more,
		"nothing":        more,
		"elsewhere":      "<Contents><Key>q/a</Key><Size>1</Size></Contents>",
		"long key":       "<Contents><Key>p/" + strings.Repeat("a", 2000) + "</Key><Size>1</Size></Contents>",
		"below nothing":  "<Contents><Key>p/a</Key><Size>-1</Size></Contents>",
		"endless":        strings.Repeat(object, 2*mostXML/len(object)),
		"deep":           strings.Repeat("<a>", 1_000_000),
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				io.WriteString(w, "<ListBucketResult>"+list+"</ListBucketResult>")
			}))
			defer server.Close()
			gateway.Use(t, server.URL)
			t.Setenv("AWS_MAX_ATTEMPTS", "1")
			s, last := Open(t.Context())
			if last != nil {
				t.Fatal(last)
			}
			for _, last = range s.List(t.Context(), Place{"bucket", "p"}) {
			}
			if !errors.Is(last, ErrUnreachable) {
				t.Errorf("%v", last)
			}
		})
	}
}

// TestEndlessParts: a list of parts that goes round comes to an end, though no page of it says that it goes
// on where the page itself began.
func TestEndlessParts(t *testing.T) {
	pages := 0
	list := strings.Repeat("<Part><PartNumber>1</PartNumber><ETag>e</ETag></Part>", pageSize)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		pages++
		fmt.Fprintf(w, "<ListPartsResult><UploadId>id</UploadId>%s<IsTruncated>true</IsTruncated>"+
			"<NextPartNumberMarker>%d</NextPartNumberMarker></ListPartsResult>", list, 1+pages%2)
	}))
	defer server.Close()
	gateway.Use(t, server.URL)
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	s, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err = s.parts(t.Context(), &Begun{Bucket: "b", Key: "k", UploadID: "id"}); !errors.Is(err, errNoEnd) {
		t.Error(err)
	}
	if pages != mostParts/pageSize+1 {
		t.Errorf("%d pages were asked for", pages)
	}
}

// TestCacheIsBounded: however many blocks come, few stay.
func TestCacheIsBounded(t *testing.T) {
	c := newCache()
	for i := range int64(3 * mostBlocks) {
		_, fetch := c.get(blockID{number: i}, 1, i+1)
		c.came(fetch[0], nil)
	}
	if len(c.blocks) != mostBlocks || len(c.places) != mostBlocks || c.order.Len() != mostBlocks {
		t.Errorf("%d blocks, %d places, %d in order", len(c.blocks), len(c.places), c.order.Len())
	}
}

// TestOpen: what is missing in the environment is said, with what to set.
func TestOpen(t *testing.T) {
	for name, c := range map[string]struct{ set, to, want string }{
		"no region":   {"AWS_REGION", "", "AWS_REGION"},
		"a user":      {"AWS_ENDPOINT_URL", "http://user:secret@host", "AWS_ENDPOINT_URL"},
		"no scheme":   {"AWS_ENDPOINT_URL", "host:9000", "AWS_ENDPOINT_URL"},
		"no profile":  {"AWS_PROFILE", "nobody", "AWS_PROFILE"},
		"all is well": {"AWS_REGION", "eu-west-1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			gateway.Use(t, "")
			t.Setenv(c.set, c.to)
			s, err := Open(t.Context())
			if c.want == "" && err != nil || c.want != "" && (err == nil ||
				!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret")) {
				t.Errorf("%v, %v", s, err)
			}
		})
	}
	gateway.Use(t, "http://127.0.0.1:1")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	s, err := Open(t.Context())
	if err == nil {
		_, err = s.Head(t.Context(), "bucket", "key")
	}
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("no credentials: %v", err)
	}
}

// TestParse: an address is read, and written again, or refused with what to write instead.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"s3://archive": "", "s3://archive/": "", "s3://a.b-c/p": "", "s3://archive/p/q/": "",
		"http://archive/p": "s3://BUCKET", "archive": "s3://BUCKET", "s3://": "no bucket",
		"s3:///p": "no bucket", "s3://key:secret@archive/p": "no user", "s3://Archive": "no name",
		"s3://host:9000/archive": "AWS_ENDPOINT_URL", "s3://archive/p?region=x": "no ?",
		"s3://archive/a//b": "empty part", "s3://archive/../b": "empty part", "s3://archive/a\nb": "printed",
		"s3://archive/" + strings.Repeat("a", 513): "512",
	} {
		p, err := Parse(text)
		if want == "" {
			if err != nil || p.String() != strings.TrimRight(text, "/") {
				t.Errorf("%s: %v, %v", text, p, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if key := (Place{"b", "p"}).Key("n"); key != "p/n" {
		t.Error(key)
	}
}
