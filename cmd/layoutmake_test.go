//go:build unix

package cmd

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/store/collection"
	"warcorder/store/outbackcdx/outbackcdxtest"
)

var (
	makeLayout    = flag.String("layout", "", "make the collections of this folder of testdata/layouts")
	layoutProgram = flag.String("layout-program", "", "by this warcorder; that of the test is the usual")
)

// TestMakeLayout makes the collections that are kept of a layout. It is for who raises collection.Layout
// or store.Format; -layout-program is a program that was built then, for layouts of the past:
//
//	go test ./cmd -run TestMakeLayout -layout 1.3
//	go test ./cmd -run TestLayouts -update    writes what was not expected of them yet
func TestMakeLayout(t *testing.T) {
	if *makeLayout == "" {
		t.Skip("it is for -layout")
	}
	folder := filepath.Join(layouts, *makeLayout)
	if err := os.MkdirAll(filepath.Join(folder, "expected"), 0o755); err != nil {
		t.Fatal(err)
	}
	m := &maker{T: t, program: *layoutProgram, dir: t.TempDir(), held: make(chan struct{})}
	if m.program == "" {
		m.program = os.Args[0]
	}
	m.site = httptest.NewServer(http.HandlerFunc(m.serve))
	defer m.site.Close()
	defer close(m.held)
	m.record(m.visit, (*os.Process).Kill)
	m.tear()
	m.record(m.visitAgain, interrupt)
	m.leaveAll()
	m.raise()
	m.keep(filepath.Join(folder, "closed.tar.gz"))
	m.record(m.hold, (*os.Process).Kill)
	m.tear()
	m.keep(filepath.Join(folder, "killed.tar.gz"))
}

func interrupt(process *os.Process) error { return process.Signal(os.Interrupt) }

// maker makes a collection by a program, which may be an old one.
type maker struct {
	*testing.T
	program, dir string
	site         *httptest.Server
	held         chan struct{} // closed when the answer of /held may end
}

// serve is the site.
func (m *maker) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", "Fri, 01 May 2026 12:00:00 GMT")
	switch r.URL.Path {
	case "/page":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<title>A page</title><img src=/same/1><p>caf\u00e9")
	case "/cut":
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "not all of it")
	case "/moved":
		http.Redirect(w, r, "/page", http.StatusFound)
	case "/large":
		io.WriteString(w, strings.Repeat("large ", 3<<20/6))
	case "/held":
		io.WriteString(w, strings.Repeat("held ", 2<<20/5))
		w.(http.Flusher).Flush()
		<-m.held
	default:
		io.WriteString(w, "the same for all")
	}
}

// raise lets the collection have the layout that it is made for, as it has from when its first file goes
// away; what is kept has no object storage, and all its files.
func (m *maker) raise() {
	if strings.HasPrefix(*makeLayout, "2.") {
		if err := collection.Dir(filepath.Join(m.dir, "collections", "default")).RaiseLayout(0); err != nil {
			m.Fatal(err)
		}
	}
}

// command is the program with these arguments.
func (m *maker) command(args ...string) *exec.Cmd {
	cmd := exec.Command(m.program, append(args, "--dir", filepath.Join(m.dir, "collections"))...)
	cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1",
		"WARCORDER_CA_DIR="+filepath.Join(m.dir, "ca"))
	return cmd
}

// try runs a command that the program may not have yet.
func (m *maker) try(args ...string) string {
	out, err := m.command(args...).CombinedOutput()
	m.Logf("%v: %v\n%s", args, err, out)
	return string(out)
}

// record lets the program record what visit asks for, and end then.
func (m *maker) record(visit func(*http.Client), end func(*os.Process) error) {
	m.Helper()
	cmd := m.command("record", "--listen", "127.0.0.1:0", "--log", "json")
	p := startCommand(m.T, m.dir, "recording", cmd)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.address})}}
	visit(client)
	p.page("/export") // which waits for what was fetched
	if err := end(cmd.Process); err != nil {
		m.Fatal(err)
	}
	<-p.ended
	m.Logf("%s", p.stderr)
}

// get asks for a path of the site, and takes what comes.
func (m *maker) get(client *http.Client, path string) {
	if answer, err := client.Get(m.site.URL + path); err == nil {
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
}

func (m *maker) visit(client *http.Client) {
	for _, path := range []string{"/page", "/same/1", "/same/2", "/moved", "/large", "/cut"} {
		m.get(client, path)
	}
	for _, posted := range []string{"q=a+form", "q=" + strings.Repeat("long", 3000)} {
		answer, err := client.Post(m.site.URL+"/form", "application/x-www-form-urlencoded",
			strings.NewReader(posted))
		if err != nil {
			m.Fatal(err)
		}
		answer.Body.Close()
	}
	if answer, err := client.Get("http://127.0.0.1:1/nobody"); err == nil {
		answer.Body.Close()
	}
}

func (m *maker) visitAgain(client *http.Client) {
	for _, path := range []string{"/page", "/same/3", "/to-be-removed"} {
		m.get(client, path)
	}
}

// hold asks for what does not end before the recorder is killed.
func (m *maker) hold(client *http.Client) {
	m.get(client, "/same/4")
	answer, err := client.Get(m.site.URL + "/held")
	if err != nil {
		m.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, answer.Body, 2<<20-1<<10); err != nil {
		m.Fatal(err)
	}
}

// tear appends the beginning of a record to the file that was written, as a crash would leave it.
func (m *maker) tear() {
	files, err := filepath.Glob(filepath.Join(m.archive(), "*.open"))
	if err != nil || len(files) == 0 {
		m.Fatal("no file is open: ", err)
	}
	for _, path := range files {
		whole, err := os.ReadFile(path)
		if err != nil {
			m.Fatal(err)
		}
		writeText(m, path, string(whole)+string(whole[:min(100, len(whole))]))
	}
}

func (m *maker) archive() string { return filepath.Join(m.dir, "collections", "default", "archive") }

// leaveAll lets commands leave what they do, as far as the program has them.
func (m *maker) leaveAll() {
	wacz := filepath.Join(m.dir, "brought.wacz")
	waczOf(m, wacz, warcsOf("brought.warc.gz"), pageLine)
	server := outbackcdxtest.New()
	defer server.Close()
	m.try("import", wacz)
	m.try("remove", "--url", m.site.URL+"/to-be-removed", "--yes")
	m.try("push", "--to", "outbackcdx", server.Collection())
	m.try("export")
	m.try("verify")
	var lines bytes.Buffer
	for _, args := range [][]string{shownBy["export"], {"export", "-o", "-"}} {
		lines.Reset()
		cmd := m.command(args...)
		cmd.Stdout = &lines
		if cmd.Run() == nil {
			break
		}
	}
	writeText(m, filepath.Join(layouts, *makeLayout, "expected", "closed.export"), lines.String())
}

// keep packs the collection.
func (m *maker) keep(path string) {
	var packed bytes.Buffer
	zipped, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	out := tar.NewWriter(zipped)
	err := filepath.WalkDir(filepath.Join(m.dir, "collections"),
		func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return m.pack(out, path, entry)
		})
	if err := errors.Join(err, out.Close(), zipped.Close()); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(path, packed.Bytes(), 0o644); err != nil {
		m.Fatal(err)
	}
}

// pack packs a file or a directory; of no other does a recorder leave any.
func (m *maker) pack(out *tar.Writer, path string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	name, err := filepath.Rel(m.dir, path)
	if err != nil {
		return err
	}
	head := &tar.Header{Name: filepath.ToSlash(name), Mode: int64(info.Mode().Perm()),
		ModTime: info.ModTime(), Typeflag: tar.TypeDir}
	if !info.IsDir() {
		head.Typeflag, head.Size = tar.TypeReg, info.Size()
	}
	if err := out.WriteHeader(head); err != nil || info.IsDir() {
		return err
	}
	content, err := os.ReadFile(path)
	if err == nil {
		_, err = out.Write(content)
	}
	return err
}
