package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"warcorder/canon"
	"warcorder/canon/vector"
)

type keyCommand struct {
	URL string `arg:"" optional:""`
	requestFlags
	Dialect canon.Dialect `default:"pywb"`
	Profile string        `default:"generic"`
	JSONL   bool          `name:"jsonl"`
}

// Run prints the keys of one request, each with its name, or those of all requests on standard
// input.
func (c *keyCommand) Run(*commandLine) error {
	if c.JSONL {
		return vector.Run(os.Stdin, os.Stdout)
	}
	if c.URL == "" {
		return errors.New("key: give a URL, or --jsonl")
	}
	request, err := c.request(c.URL)
	if err != nil {
		return err
	}
	keys, err := vector.Of(&vector.Request{
		URL:         vector.Text(c.URL),
		Method:      request.Method,
		ContentType: c.ContentType,
		Body:        request.Body,
		Dialect:     c.Dialect,
		Profile:     c.Profile,
	})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for _, line := range [][2]string{
		{"urlkey", string(keys.URLKey)},
		{"url", string(keys.URL)},
		{"request_body", string(keys.RequestBody)},
		{"surt", string(keys.SURT)},
		{"path", string(keys.Path)},
		{"wwwoffle", string(keys.WWWOFFLE)},
		{"wwwoffle_userinfo", string(keys.WWWOFFLEUserinfo)},
		{"form", keys.Form.Canonical},
		{"query", string(keys.Query)},
	} {
		fmt.Fprintf(out, "%s\t%s\n", line[0], line[1])
	}
	return out.Flush()
}
