// Package gateway runs object storage of one's own, for tests: versitygw, which keeps the objects
// of a bucket as files of a directory. Start with [Start].
//
// Invariant: the environment of the test names this storage and no other, and no credentials but
// its own; what was started has ended when the test has.
package gateway

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The one who may do everything there.
const (
	AccessKey = "ACCESSKEYOFTHETEST"
	SecretKey = "secretKeyOfTheTest0123456789"
)

// Bucket is the one that is there at the start.
const Bucket = "warcs"

// Server is a storage that runs.
type Server struct {
	Endpoint string // http://HOST:PORT
	Dir      string // has a directory for each bucket
}

// Environment is what tells a program of it, and of an address in front of it.
func Environment(endpoint string) map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL": endpoint, "AWS_ENDPOINT_URL_S3": "", "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": AccessKey, "AWS_SECRET_ACCESS_KEY": SecretKey, "AWS_SESSION_TOKEN": "",
		"AWS_PROFILE": "", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	}
}

// Use sets the environment of a test.
func Use(t testing.TB, endpoint string) {
	t.Helper()
	for name, value := range Environment(endpoint) {
		t.Setenv(name, value)
	}
}

// Start starts a storage which the environment of the test names from then on.
func Start(t testing.TB) *Server {
	t.Helper()
	s := Run(t)
	Use(t, s.Endpoint)
	return s
}

// Run starts a storage, and leaves the environment as it is: for tests that run beside others.
func Run(t testing.TB) *Server {
	t.Helper()
	program, dir := build(t), t.TempDir()
	for _, below := range []string{"buckets/" + Bucket, "meta"} {
		if err := os.MkdirAll(filepath.Join(dir, below), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// A port that was free may be taken when it is listened to.
	for range 5 {
		if s := run(t, program, dir); s != nil {
			return s
		}
	}
	t.Fatal("versitygw does not start")
	return nil
}

// build returns the program, from the cache of Go if it was built before.
func build(t testing.TB) string {
	t.Helper()
	build := exec.Command("go", "tool", "-n", "versitygw")
	build.Dir = tools(t)
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	var said bytes.Buffer
	build.Stderr = &said
	path, err := build.Output()
	if err != nil {
		t.Fatalf("go tool -n versitygw: %v: %s", err, said.Bytes())
	}
	return strings.TrimSpace(string(path))
}

// tools is the directory of the module that names the program: it lies in the checkout, above the
// directory of any test.
func tools(t testing.TB) string {
	t.Helper()
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; at != filepath.Dir(at); at = filepath.Dir(at) {
		dir := filepath.Join(at, ".ci", "fleet", "tools")
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	t.Fatal("there is no .ci/fleet/tools above this directory")
	return ""
}

// run starts the program on a port that is free; nil if it has ended at once.
func run(t testing.TB, program, dir string) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	ctx, end := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, program, "--port", address, "--quiet", "--access", AccessKey,
		"--secret", SecretKey, "posix", "--sidecar", filepath.Join(dir, "meta"),
		filepath.Join(dir, "buckets"))
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		end()
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	if err := reach(address, ended); err != nil {
		end()
		t.Logf("versitygw: %v", err)
		return nil
	}
	t.Cleanup(func() { end(); <-ended })
	return &Server{Endpoint: "http://" + address, Dir: filepath.Join(dir, "buckets")}
}

// reach waits until somebody listens at an address.
func reach(address string, ended <-chan error) error {
	again, late := time.NewTicker(20*time.Millisecond), time.After(time.Minute)
	defer again.Stop()
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case err := <-ended:
			return fmt.Errorf("it has ended: %w", err)
		case <-late:
			return err
		case <-again.C:
		}
	}
}
