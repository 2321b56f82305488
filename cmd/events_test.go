//go:build unix

package cmd

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// event is one that a stream tells.
type event struct {
	Kind, URL, MIME, Method, Stored, Reason, State, File string
	Status                                               int
	Size, Length, Offset, Count                          int64
}

// curlEvents follows a recorder with curl, which ends with the stream.
func (p *program) curlEvents(query string) (next func() (event, bool), ended func() error) {
	p.t.Helper()
	curl := exec.Command("curl", "-sSN", "--fail", "http://"+p.address+"/events"+query)
	out, err := curl.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := curl.Start(); err != nil {
		p.t.Fatal(err)
	}
	stuck := time.AfterFunc(patience, func() { curl.Process.Kill() })
	p.t.Cleanup(func() { stuck.Stop(); curl.Process.Kill() })
	in := bufio.NewScanner(out)
	return func() (e event, ok bool) {
		for in.Scan() {
			if data, is := strings.CutPrefix(in.Text(), "data: "); is {
				if err := json.Unmarshal([]byte(data), &e); err != nil {
					p.t.Fatalf("%s: %v", data, err)
				}
				return e, true
			}
		}
		return e, false
	}, curl.Wait
}

// TestEvents: what is recorded, what is not, files and pauses are told as they happen; where a
// capture is said to lie, it lies; and the stream ends with the recorder, which does not wait for it.
func TestEvents(t *testing.T) {
	plain, _ := greetingSites(t)
	p := startRecording(t, "--min-free-space", "0")
	next, ended := p.curlEvents("?since=0")
	expect := func(kind string) event {
		t.Helper()
		e, ok := next()
		if !ok || e.Kind != kind {
			t.Fatalf("%+v, and no %s", e, kind)
		}
		return e
	}
	p.fetch(plain.URL + "/first")
	opened := expect("files")
	e := expect("capture")
	if e.URL != plain.URL+"/first" || e.Method != "GET" || e.Status != 200 || e.MIME != "text/plain" ||
		e.Stored != "response" || e.Size != int64(len("the page /first\n")) || opened.State != "open" ||
		e.File != opened.File {
		t.Errorf("%+v in %+v", e, opened)
	}
	if line := linesIn(t, p.dir); !strings.Contains(line, `"`+e.File+`"`) ||
		!strings.Contains(line, `"offset":"`+jsonNumber(e.Offset)+`"`) ||
		!strings.Contains(line, `"length":"`+jsonNumber(e.Length)+`"`) {
		t.Errorf("%+v is not what the index has: %s", e, line)
	}
	text, err := os.ReadFile(p.tokenFile())
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(text))
	p.postTo("/pause", token, "")
	expect("paused")
	p.fetch(plain.URL + "/second")
	p.postTo("/resume", token, "")
	var told []string
	for range 3 {
		e, ok := next()
		if told = append(told, e.Kind+e.Reason); !ok || e.Reason == "unrecorded" && e.Count != 1 {
			t.Errorf("%+v", e)
		}
	}
	// What passed is summed up each second, which may be before.
	if i := slices.Index(told, "gapunrecorded"); i < 0 || !slices.Equal(slices.Delete(told, i, i+1),
		[]string{"resumed", "gappaused"}) {
		t.Errorf("%q", told)
	}
	p.postTo("/rotate", token, "")
	if e := expect("files"); e.State != "finished" || e.File != opened.File || e.Size != 0 && e.Size < 100 {
		t.Errorf("%+v", e)
	}
	began := time.Now()
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if e, ok := next(); ok {
		t.Errorf("at the end came %+v", e)
	}
	if err := ended(); err != nil || time.Since(began) > 8*time.Second {
		t.Errorf("the stream ended with %v after %v", err, time.Since(began))
	}
}

func jsonNumber(n int64) string { text, _ := json.Marshal(n); return string(text) }

// TestDocsEvents: the examples of doc/events.md do what they are said to do.
func TestDocsEvents(t *testing.T) {
	text, err := os.ReadFile("../doc/events.md")
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := greetingSites(t)
	p := startRecording(t, "--min-free-space", "0")
	p.fetch(plain.URL + "/seen")
	p.fetch("http://127.0.0.1:1/nobody") // a gap
	found := 0
	for _, example := range regexp.MustCompile("(?ms)^```(sh|python)\n(.*?)^```$").
		FindAllStringSubmatch(string(text), -1) {
		found++
		code := strings.ReplaceAll(example[2], "127.0.0.1:8080", p.address)
		want := plain.URL + "/"
		program := []string{"python3", "-c", code}
		if example[1] == "sh" {
			program = []string{"sh", "-c", "exec " + code}
			if want = `"kind":"gap"`; !strings.Contains(code, "kinds=gap") {
				want = `"url":"` + plain.URL + "/"
			}
		}
		cmd := exec.Command(program[0], program[1:]...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		said, in := "", bufio.NewScanner(out)
		for !strings.Contains(said, want) && in.Scan() {
			if said += in.Text() + "\n"; strings.HasPrefix(in.Text(), "id: ") && found == 1 {
				p.fetch(plain.URL + "/now") // of a stream that begins with now
			}
		}
		if timer.Stop(); !strings.Contains(said, want) {
			t.Errorf("%s\nsaid\n%s\nand not %s", code, said, want)
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
	if found != 3 {
		t.Errorf("%d examples found", found)
	}
}
