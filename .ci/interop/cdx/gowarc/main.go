// Command gowarc fetches URLs with the recording client of internetarchive/gowarc, which asks a CDX
// server whether it has what comes: gowarc CDX-SERVER FOLDER URL...
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	warc "github.com/internetarchive/gowarc"
)

func main() {
	log.SetFlags(0)
	if err := fetchAll(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		log.Fatal(err)
	}
}

func fetchAll(server, folder string, urls []string) error {
	rotator := warc.NewRotatorSettings()
	rotator.OutputDirectory = folder
	rotator.Prefix = "IA"
	rotator.Compression = "gzip"
	client, err := warc.NewWARCWritingHTTPClient(warc.HTTPClientSettings{
		RotatorSettings: rotator,
		TempDir:         folder + "/temp",
		DedupeOptions:   warc.DedupeOptions{CDXDedupe: true, CDXURL: server},
	})
	if err != nil {
		return err
	}
	faults := make(chan error, 1)
	go func() {
		var first error
		for fault := range client.ErrChan {
			if first == nil {
				first = fmt.Errorf("%s: %w", fault.Func, fault.Err)
			}
		}
		faults <- first
	}()
	for _, url := range urls {
		if err := fetch(&client.Client, url); err != nil {
			return err
		}
	}
	if err := client.Close(); err != nil {
		return err
	}
	return <-faults
}

// fetch returns once the records are written.
func fetch(client *http.Client, url string) error {
	written := make(chan struct{}, 1)
	ctx := context.WithValue(context.Background(), warc.ContextKeyFeedback, written)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	<-written
	return nil
}
