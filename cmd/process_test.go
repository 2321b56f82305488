package cmd

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warcorder/proxy/route"
	"warcorder/store/collection"
)

// TestMain lets the test binary be warcorder itself, so that tests run the real program as a
// process; and it forgets the proxies of the environment, by which recorders would go out, and which
// signals its own parent ignores (nohup does): processes would ignore them too.
func TestMain(m *testing.M) {
	if os.Getenv("RUN_AS_CHROMIUM") != "" {
		runAsChromium()
	}
	if os.Getenv("RUN_AS_WARCORDER") != "" {
		os.Exit(Main(os.Args[1:]))
	}
	for _, name := range append(route.Variables(os.Getenv), "no_proxy", "NO_PROXY") {
		os.Unsetenv(name)
	}
	for _, ending := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(ending) {
			signal.Notify(make(chan os.Signal, 1), ending)
		}
	}
	os.Exit(m.Run())
}

// program is a running warcorder.
type program struct {
	t       *testing.T
	cmd     *exec.Cmd
	stderr  *bytes.Buffer // nil if it goes elsewhere
	dir     string
	address string
	ended   chan error
}

// command returns a process of warcorder that keeps all it writes below dir.
func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append(args, "--dir", filepath.Join(dir, "collections"))...)
	cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1", "WARCORDER_CA_DIR="+filepath.Join(dir, "ca"))
	return cmd
}

func startRecording(t *testing.T, args ...string) *program {
	t.Helper()
	return startRecordingIn(t, t.TempDir(), args...)
}

func startRecordingIn(t *testing.T, dir string, args ...string) *program {
	t.Helper()
	record := []string{"record", "--listen", "127.0.0.1:0", "--log", "json"}
	p := startProgram(t, dir, "recording", append(record, args...)...)
	who, err := collection.Dir(filepath.Join(dir, "collections", "default")).Running()
	if err != nil {
		t.Fatal(err)
	}
	if who.PID != p.cmd.Process.Pid {
		t.Errorf("recorder.json says pid %d, it is %d", who.PID, p.cmd.Process.Pid)
	}
	p.address = who.Addresses[0]
	return p
}

// startProgram starts a warcorder that serves, and waits for the line of its log with that message
// and the address.
func startProgram(t *testing.T, dir, ready string, args ...string) *program {
	t.Helper()
	return startCommand(t, dir, ready, command(dir, args...))
}

func startCommand(t *testing.T, dir, ready string, cmd *exec.Cmd) *program {
	t.Helper()
	p := &program{t: t, cmd: cmd, dir: dir, stderr: &bytes.Buffer{}, ended: make(chan error, 1)}
	errors, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	go func() {
		in := bufio.NewReader(errors)
		for {
			line, err := in.ReadString('\n')
			p.stderr.WriteString(line)
			if strings.Contains(line, `"message":"`+ready+`"`) {
				said <- line
			}
			if err != nil {
				break
			}
		}
		p.ended <- p.cmd.Wait()
	}()
	t.Cleanup(func() { p.cmd.Process.Kill() })
	select {
	case line := <-said:
		_, rest, _ := strings.Cut(line, `"address":"`)
		p.address, _, _ = strings.Cut(rest, `"`)
	case err := <-p.ended:
		t.Fatalf("%v: %s", err, p.stderr)
	}
	return p
}

// stop ends the program with a signal and returns its exit code.
func (p *program) stop() int {
	p.t.Helper()
	p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.ended
	return p.cmd.ProcessState.ExitCode()
}

// fetch gets a URL through the proxy.
func (p *program) fetch(target string) string {
	p.t.Helper()
	client := http.Client{
		Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.address})},
	}
	defer client.CloseIdleConnections()
	res, err := client.Get(target)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(body)
}

// run runs warcorder to its end.
func (p *program) run(args ...string) (stdout, stderr string, code int) {
	cmd := command(p.dir, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// done runs a command that must find nothing wrong.
func (p *program) done(args ...string) string {
	p.t.Helper()
	out, errs, code := p.run(args...)
	if code != 0 {
		p.t.Fatalf("%v: exit status %d\n%s%s", args, code, out, errs)
	}
	return out
}

// page is the body of one of the recorder's own pages.
func (p *program) page(path string) string {
	p.t.Helper()
	client := http.Client{Timeout: patience}
	res, err := client.Get("http://" + p.address + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %s %v %s", path, res.Status, err, body)
	}
	return string(body)
}
