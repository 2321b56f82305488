package cmd

import (
	"io"
	"os"

	"warcorder/canon"
)

// requestFlags are what a key is made of beside the URL.
type requestFlags struct {
	Method      string `default:"GET"`
	ContentType string `placeholder:"TYPE"`
	Body        string `placeholder:"FILE"`
}

// request returns the request that the flags describe.
func (f *requestFlags) request(url string) (*canon.Request, error) {
	r := &canon.Request{URL: url, Method: f.Method, ContentType: f.ContentType}
	var err error
	switch f.Body {
	case "":
	case "-":
		r.Body, err = io.ReadAll(os.Stdin)
	default:
		r.Body, err = os.ReadFile(f.Body)
	}
	return r, err
}
