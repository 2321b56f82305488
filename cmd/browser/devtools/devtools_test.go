package devtools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// peer is the browser's end of the pipes.
type peer struct {
	t   *testing.T
	in  *bufio.Reader
	out *os.File
}

// pair is a connection over real pipes, and its other end.
func pair(t *testing.T, most int) (*Conn, *peer) {
	t.Helper()
	commands, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	said, say, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := newConn(said, tell, most)
	t.Cleanup(func() { c.Close(); commands.Close(); say.Close() })
	return c, &peer{t, bufio.NewReader(commands), say}
}

// command is what the browser was told.
type command struct {
	ID        int64
	SessionID string
	Method    string
	Params    map[string]any
}

func (p *peer) next() (c command) {
	text, err := p.in.ReadBytes(0)
	if err == nil {
		err = json.Unmarshal(text[:len(text)-1], &c)
	}
	if err != nil {
		p.t.Error(err)
	}
	return c
}

func (p *peer) say(format string, args ...any) {
	if _, err := fmt.Fprintf(p.out, format+"\x00", args...); err != nil {
		p.t.Error(err)
	}
}

// TestCall: an answer goes to who waits for it, whatever the order, and an error is one.
func TestCall(t *testing.T) {
	c, p := pair(t, MostMessage)
	go func() {
		first, second := p.next(), p.next()
		if first.SessionID+second.SessionID != "S" || first.Method != "Page.navigate" ||
			first.Params["url"] != "http://a/" {
			t.Errorf("%+v, %+v", first, second)
		}
		p.say(`{"id":99,"result":{}}`)
		p.say(`{"id":%d,"error":{"code":-1,"message":"no such thing"}}`, second.ID)
		p.say(`{"id":%d,"sessionId":"S","result":{"frameId":"F"}}`, first.ID)
	}()
	navigated := make(chan page.NavigateResult)
	go func() {
		r, err := Call(t.Context(), c.Session("S"), page.Navigate, page.NavigateParams{URL: "http://a/"})
		if err != nil {
			t.Error(err)
		}
		navigated <- r
	}()
	for waiting := 0; waiting == 0; {
		c.mu.Lock()
		waiting = len(c.waiting)
		c.mu.Unlock()
	}
	_, err := Call(t.Context(), c.Browser(), browser.GetVersion, cdp.Empty{})
	refused := (*Error)(nil)
	if !errors.As(err, &refused) || refused.Code != -1 || !strings.Contains(err.Error(), "no such thing") {
		t.Errorf("%v", err)
	}
	if r := <-navigated; r.FrameID != "F" {
		t.Errorf("%+v", r)
	}
}

// TestCallEnds: nobody waits for a browser that has ended, nor longer than is wished.
func TestCallEnds(t *testing.T) {
	c, p := pair(t, MostMessage)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { p.next(); cancel(); p.next(); p.out.Close() }()
	version := func(ctx context.Context) error {
		_, err := Call(ctx, c.Browser(), browser.GetVersion, cdp.Empty{})
		return err
	}
	if err := version(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if len(c.waiting) != 0 {
		t.Error("somebody still waits")
	}
	for range 2 {
		if err := version(t.Context()); !errors.Is(err, ErrEnded) {
			t.Errorf("%v", err)
		}
	}
	<-c.Done()
}

// TestOn: events go to who listens to their session, in order, and a function may send commands.
func TestOn(t *testing.T) {
	c, p := pair(t, MostMessage)
	got := make(chan string, 10)
	s := c.Session("S")
	On(s, page.JavascriptDialogOpening, func(e page.EventJavascriptDialogOpening) {
		got <- e.Message
		Send(s, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	})
	On(c.Browser(), target.TargetDestroyed, func(e target.EventTargetDestroyed) { got <- string(e.TargetID) })
	p.say(`{"method":"Page.javascriptDialogOpening","sessionId":"S","params":{"message":"one"}}`)
	p.say(`{"method":"Page.javascriptDialogOpening","sessionId":"other","params":{"message":"two"}}`)
	p.say(`{"method":"Page.javascriptDialogOpening","sessionId":"S","params":{"message":7}}`)
	p.say(`{"method":"Page.unheardOf","sessionId":"S","params":{}}`)
	p.say(`{"method":"Target.targetDestroyed","params":{"targetId":"T"}}`)
	if one, two := <-got, <-got; one != "one" || two != "T" {
		t.Errorf("%q, %q", one, two)
	}
	if told := p.next(); told.Method != "Page.handleJavaScriptDialog" || told.SessionID != "S" {
		t.Errorf("%+v", told)
	}
	s.Forget()
	p.say(`{"method":"Page.javascriptDialogOpening","sessionId":"S","params":{"message":"late"}}`)
	p.say(`{"method":"Target.targetDestroyed","params":{"targetId":"U"}}`)
	if next := <-got; next != "U" {
		t.Errorf("%q", next)
	}
}

// TestLongMessage: a message that is too long is passed over, and costs no memory; those around it
// are taken.
func TestLongMessage(t *testing.T) {
	const most = 1000
	var wire bytes.Buffer
	for _, n := range []int{10, most - 1, most, 200 << 10, 5, 0} {
		wire.WriteString(strings.Repeat("x", n) + "\x00")
	}
	wire.WriteString("cut off")
	r := bufio.NewReaderSize(&wire, 64<<10)
	var lengths []int
	for {
		text, err := message(r, most)
		if err != nil {
			break
		}
		if text == nil {
			lengths = append(lengths, -1)
			continue
		}
		lengths = append(lengths, len(text))
	}
	if fmt.Sprint(lengths) != fmt.Sprint([]int{10, most - 1, -1, -1, 5, 0}) {
		t.Error(lengths)
	}
}

// TestStuck: a browser that reads nothing costs a bounded number of commands.
func TestStuck(t *testing.T) {
	c, _ := pair(t, MostMessage)
	url := strings.Repeat("x", 1<<10)
	for range 3 * mostUnwritten {
		Send(c.Browser(), target.CreateTarget, target.CreateTargetParams{URL: url})
	}
	select {
	case <-c.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("commands are kept without end")
	}
	if !errors.Is(c.why(), errStuck) {
		t.Error(c.why())
	}
}

// FuzzMessages: no bytes make the reader panic, or keep it from ending.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("{\"method\":\"Page.javascriptDialogOpening\",\"params\":{\"message\":\"x\"}}\x00{}\x00"))
	f.Add([]byte("[[[[\x00"))
	f.Add([]byte("{\"id\":1,\"error\":{}}\x00\x00"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		c, p := pair(t, 1<<10)
		On(c.Browser(), page.JavascriptDialogOpening, func(page.EventJavascriptDialogOpening) {})
		go func() { p.out.Write(wire); p.out.Close() }()
		<-c.Done()
	})
}
