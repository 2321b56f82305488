package cmd

import (
	"errors"
	"fmt"
	"os"

	"warcorder/canon"
	"warcorder/canon/vector"
)

type keyCommand struct {
	URL string `arg:"" optional:"" help:"The URL."`
	requestFlags
	Dialect canon.Dialect `help:"How method and body become part of the key: pywb, spec, warciojs." default:"pywb"`
	Profile string        `help:"Profile that the path is written under: generic, mediawiki, restbase, upload." default:"generic"`
	JSONL   bool          `name:"jsonl" help:"Read requests as JSON, one a line, from standard input, and write their keys in the same way."`
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
	keys, err := vector.Of(
		&vector.Request{URL: vector.Text(c.URL), Method: c.Method, ContentType: c.ContentType,
			Body: request.Body, Dialect: c.Dialect, Profile: c.Profile},
	)
	if err != nil {
		return err
	}
	for _, line := range [][2]string{
		{"urlkey", string(keys.URLKey)}, {"url", string(keys.URL)}, {"request_body", string(keys.RequestBody)}, {"surt", string(keys.SURT)},
		{"path", string(keys.Path)}, {"wwwoffle", string(keys.WWWOFFLE)}, {"wwwoffle_userinfo", string(keys.WWWOFFLEUserinfo)},
		{"form", keys.Form.Canonical},
	} {
		fmt.Printf("%s\t%s\n", line[0], line[1])
	}
	return nil
}
