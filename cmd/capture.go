package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"warcorder/cmd/browser"
	"warcorder/cmd/visiting"
	"warcorder/proxy/hosts"
)

// captureCommand records pages in a browser that it drives: from their URLs to a file.
type captureCommand struct {
	URL      []string `arg:"" optional:""`
	URLs     string   `name:"urls" placeholder:"FILE"`
	Out      string   `name:"out" short:"o" placeholder:"FILE"`
	Depth    int      `placeholder:"N"`
	External bool
	MaxPages int           `name:"max-pages" default:"100"`
	Browser  string        `placeholder:"PATH"`
	Wait     time.Duration `default:"3s" placeholder:"DURATION"`
	AtMost   time.Duration `name:"at-most" default:"1m" placeholder:"DURATION"`
	besideFlags
}

// Run visits the pages, says what came of each, and returns an error unless each is whole.
func (c *captureCommand) Run(line *commandLine) error {
	pages, err := c.pages(os.Stdin)
	if err != nil {
		return err
	}
	if err := c.checkOut(); err != nil {
		return err
	}
	program, err := browser.Find(c.Browser)
	if err == nil {
		err = program.CheckDriven()
	}
	if err != nil {
		return err
	}
	if !c.Proxy.Users.IsEmpty() {
		return errTyped
	}
	c.silent, line.Quiet = line.Quiet, !line.Verbose
	c.opened = pages[0]
	c.Proxy.NoRecord = c.Proxy.NoRecord.With(hosts.BrowserChatter)
	all := capturing{captureCommand: c, program: program,
		frontier: visiting.NewFrontier(pages, c.Depth, c.MaxPages, c.External)}
	err = c.beside(line, all.run)
	err = errors.Join(err, all.report())
	return all.outcome(errors.Join(err, all.pack(line, err == nil)))
}

// checkOut refuses an --out that could not be written.
func (c *captureCommand) checkOut() error {
	switch c.Out {
	case "":
		return nil
	case "-":
		return errors.New("-o - is taken: standard output has the report. Name a file")
	}
	return c.packing(selectionFlags{}).check()
}

// errTyped says that the recorder asks for a password.
var errTyped = errors.New("capture does not work with proxy-users: nobody could type the password that " +
	"the browser would ask for. Record into another --collection, without proxy-users")

// pages are the pages to begin with.
func (c *captureCommand) pages(stdin io.Reader) (pages []string, err error) {
	typed := c.URL
	if c.URLs != "" {
		if typed, err = c.listed(typed, stdin); err != nil {
			return nil, err
		}
	}
	switch {
	case len(typed) == 0:
		return nil, errors.New("capture needs a page: warcorder capture https://example.org/, or --urls FILE")
	case c.MaxPages < 1 || c.Depth < 0:
		return nil, errors.New("--max-pages is at least 1, and --depth no less than 0")
	case c.Wait < 0 || c.AtMost <= 0:
		return nil, errors.New("--wait is no less than 0, and --at-most more")
	case len(typed) > c.MaxPages:
		return nil, fmt.Errorf("%d pages are more than --max-pages %d: capture visits one after another, "+
			"and is for tens of pages; for more, lead a crawler through a recorder (doc/crawlers.md)",
			len(typed), c.MaxPages)
	}
	for _, text := range typed {
		if !isAddress(text) {
			return nil, fmt.Errorf("%q is no address of a page: write http:// before it if it is a host", text)
		}
		page, err := browser.ParseURL(text)
		if err != nil {
			return nil, err
		}
		if u, err := url.Parse(page); err != nil || u.User != nil {
			return nil, errors.New("capture shows no password to a site: give the URL without name and password")
		}
		pages = append(pages, page)
	}
	return pages, nil
}

// isAddress reports whether a text without a scheme looks like an address: a word, or a number, that
// slipped in would be visited as a host.
func isAddress(text string) bool {
	host, _, _ := strings.Cut(text, "/")
	return strings.Contains(text, "://") || strings.ContainsAny(host, ".[") ||
		strings.HasPrefix(strings.ToLower(host), "localhost")
}

// mostListed is how long a list of pages may be, in bytes.
const mostListed = 16 << 20

// listed adds the lines of --urls, but for empty ones and comments.
func (c *captureCommand) listed(pages []string, stdin io.Reader) ([]string, error) {
	in := stdin
	if c.URLs != "-" {
		file, err := os.Open(c.URLs)
		if err != nil {
			return nil, fmt.Errorf("--urls: %w", err)
		}
		defer file.Close()
		in = file
	}
	most := &io.LimitedReader{R: in, N: mostListed + 1}
	lines := bufio.NewScanner(most)
	for n := 0; lines.Scan(); n++ {
		text := lines.Text()
		if n == 0 {
			text = strings.TrimPrefix(text, "\ufeff") // which some editors begin a text with
		}
		if text = strings.TrimSpace(text); text != "" && !strings.HasPrefix(text, "#") {
			pages = append(pages, text)
		}
	}
	err := lines.Err()
	if err == nil && most.N == 0 {
		err = fmt.Errorf("it is longer than %d MiB", mostListed>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("--urls %s: %w", c.URLs, err)
	}
	return pages, nil
}
