package cmd

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/store/cdxserver"
)

// keyBench is what the rows of TestKeys share.
type keyBench struct {
	ca    string           // where the root certificate of the recorders lies
	plain *keyed           // a recorder whose file sets nothing but a free port: what is so by default
	pages *httptest.Server // answers with the path that is asked for
}

func newKeyBench(t *testing.T) *keyBench {
	b := &keyBench{ca: filepath.Join(t.TempDir(), "ca"), pages: newPages(t)}
	b.plain = b.record(t, "")
	return b
}

// keyed is a recorder whose settings stand in a file.
type keyed struct {
	*recording
	dir    string // the collection
	client *http.Client
}

// record starts a recorder with that file, in an empty directory, on a free port unless the file
// says where. A client of it keeps no connection.
func (b *keyBench) record(t *testing.T, file string) *keyed {
	t.Helper()
	return b.recordIn(t, t.TempDir(), "", file)
}

// recordIn starts one on the collections in dir; faults is what is to fail in it.
func (b *keyBench) recordIn(t *testing.T, dir, faults, file string) *keyed {
	t.Helper()
	return b.recordAmid(t, []string{"RUN_WITH_FAULT=" + faults}, dir, file)
}

// recordAmid starts one with more variables in its environment.
func (b *keyBench) recordAmid(t *testing.T, variables []string, dir, file string) *keyed {
	t.Helper()
	r := launchAmid(t, variables, dir, b.ca, "record", "--config", writeFile(t, onFreePort(file)))
	if r.address == "" {
		t.Fatalf("it does not start: %s", r.tail())
	}
	if strings.HasPrefix(r.address, "0.0.0.0:") || strings.HasPrefix(r.address, "[::]:") {
		r.address = "127.0.0.1:" + portOf(t, r.address)
	}
	trust := trustOf(t, b.ca)
	return &keyed{r, filepath.Join(dir, "default"), keyClient(r.address, trust)}
}

// onFreePort is a file that says where to listen, as another does, or on a free port.
func onFreePort(file string) string {
	if strings.Contains(file, "\nlisten:") || strings.HasPrefix(file, "listen:") {
		return file
	}
	return file + "\nlisten: 127.0.0.1:0\n"
}

// keyClient is a client of the proxy at an address, or of none with "", which trusts its
// certificates. It keeps no connection, and takes no coding off.
func keyClient(proxy string, trust *x509.CertPool) *http.Client {
	client := &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			TLSClientConfig:    &tls.Config{RootCAs: trust},
			DisableKeepAlives:  true,
			DisableCompression: true,
		},
	}
	if proxy != "" {
		setProxy(client, &url.URL{Scheme: "http", Host: proxy})
	}
	return client
}

// refused runs a recorder that is not to start, and returns what it says.
func (b *keyBench) refused(t *testing.T, file string) string {
	t.Helper()
	r := launchCommand(t, t.TempDir(), b.ca, "", "record", "--config", writeFile(t, onFreePort(file)))
	if r.address != "" {
		t.Errorf("it records with %q", file)
		return ""
	}
	r.wait()
	return r.tail()
}

// came is what a client got.
type came struct {
	status int
	header http.Header
	body   string
	err    error
}

// ask asks for a URL through the recorder; fields are pairs of a name and a value.
func (r *keyed) ask(method, target, body string, fields ...string) came {
	return askBy(r.client, method, target, body, fields...)
}

// fetch gets a URL through the recorder.
func (r *keyed) fetch(target string, fields ...string) came {
	return r.ask("GET", target, "", fields...)
}

// askBy asks for a URL by a client.
func askBy(client *http.Client, method, target, body string, fields ...string) came {
	req, err := http.NewRequest(method, target, strings.NewReader(body))
	if err != nil {
		return came{err: err}
	}
	for i := 0; i+1 < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		return came{err: err}
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	return came{res.StatusCode, res.Header, string(got), err}
}

// wants checks the status of what came, and that its body has a text.
func (c came) wants(t *testing.T, status int, text string) {
	t.Helper()
	if c.err != nil || c.status != status || !strings.Contains(c.body, text) {
		t.Errorf("%d %.300q %v, want %d with %q", c.status, c.body, c.err, status, text)
	}
}

// own gets one of the recorder's own pages, whatever its status.
func (r *keyed) own(t *testing.T, path string) string {
	t.Helper()
	_, body, err := r.get(path)
	if err != nil {
		t.Fatalf("%s: %v: %s", path, err, r.tail())
	}
	return body
}

// indexed are the lines of the index that have a text; all that clients had got is there.
func (r *keyed) indexed(t *testing.T, text string) (lines []string) {
	t.Helper()
	for line := range strings.Lines(r.own(t, "/export?all=1")) {
		if strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	return lines
}

// settle waits until what clients have is in the index.
func (r *keyed) settle(t *testing.T) {
	t.Helper()
	one := cdxserver.Recorder{Address: r.address, Token: r.token(t)}
	if err := one.Work(t.Context(), settlePath, new(status)); err != nil {
		t.Fatal(err)
	}
}

// captured waits for the line of the log that says that a URL was captured.
func (r *keyed) captured(t *testing.T, target string) logLine {
	t.Helper()
	var found logLine
	eventually(t, target+" is captured", func() bool {
		for _, line := range r.lines("capture") {
			if line.URL == target {
				found = line
				return true
			}
		}
		return false
	})
	return found
}

// says waits for a line of the log with a message and a text.
func (r *keyed) says(t *testing.T, message, text string) {
	t.Helper()
	eventually(t, message+" "+text, func() bool {
		for _, line := range r.lines(message) {
			if strings.Contains(line.text, text) {
				return true
			}
		}
		return false
	})
}

// records are the records of a type and a URL, each with its header, in the order of the files.
func (r *keyed) records(t *testing.T, kind, target string) (found []string) {
	t.Helper()
	for _, name := range r.files(t, "*.gz*") {
		for _, record := range recordsOf(t, name) {
			head, _, _ := strings.Cut(record, "\r\n\r\n")
			if strings.Contains(head, "WARC-Type: "+kind+"\r\n") && strings.Contains(head, target) {
				found = append(found, record)
			}
		}
	}
	return found
}

// files are the paths of the WARC files whose names match a pattern.
func (r *keyed) files(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(r.dir, "archive", pattern))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// recordsOf are the records of a file, which may be written at that moment.
func recordsOf(t *testing.T, name string) (records []string) {
	t.Helper()
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) { // it has got its final name
		file, err = os.Open(strings.TrimSuffix(name, ".open"))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in := bufio.NewReader(file)
	member, err := gzip.NewReader(in)
	for err == nil {
		member.Multistream(false)
		var text []byte
		if text, err = io.ReadAll(member); err == nil {
			records = append(records, string(text))
			err = member.Reset(in)
		}
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		t.Errorf("%s: %v", name, err)
	}
	return records
}

// state reads a part of /status into v.
func (r *keyed) state(t *testing.T, v any) {
	t.Helper()
	if body := r.own(t, "/status"); json.Unmarshal([]byte(body), v) != nil {
		t.Fatalf("/status: %s", body)
	}
}

// gaps waits until /status counts these and no others: one is counted after its client has got what it
// gets.
func (r *keyed) gaps(t *testing.T, want map[string]int) {
	t.Helper()
	var state struct{ Gaps map[string]int }
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if r.state(t, &state); maps.Equal(state.Gaps, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("gaps %v, want %v", state.Gaps, want)
		}
		state.Gaps = nil
	}
}

// keyOrigin makes an origin of a handler.
func keyOrigin(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// heldOrigin makes an origin that says when it is asked, and answers when it is released or the test
// ends.
func heldOrigin(t *testing.T, text string) (origin string, asked <-chan string, release func()) {
	t.Helper()
	told, released := make(chan string, 100), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	server := keyOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		told <- r.URL.Path
		select {
		case <-released:
		case <-ctx.Done():
		}
		io.WriteString(w, text)
	})
	t.Cleanup(cancel) // before the server waits for its handlers
	return server.URL, told, func() { close(released) }
}

// await waits for what comes of a channel.
func await[T any](t *testing.T, from <-chan T, what string) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(patience):
		t.Fatalf("waited in vain: %s", what)
	}
	return value
}

// dialed opens a connection to an address, and writes to it.
func dialed(t *testing.T, address, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// restOf is what comes of a connection until its end.
func restOf(t *testing.T, conn net.Conn) string {
	t.Helper()
	got, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection does not end, after %.300q", got)
	}
	return string(got)
}

// portOf is the port of an address.
func portOf(t *testing.T, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// inPEM writes PEM to a file of its owner's alone, and returns its name.
func inPEM(t *testing.T, blocks ...[]byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.pem")
	var text []byte
	for _, block := range blocks {
		text = fmt.Appendf(text, "%s", block)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
