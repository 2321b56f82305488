package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"warcorder/proxy/admin"
	"warcorder/store/cdxserver"
)

// configPath is where a recorder tells with which settings it runs, secrets masked.
const configPath = "/config"

// configPage tells them. What is masked is no secret, and the rest may name what only who has the
// token is to know: hosts, networks, files.
func (s *serving) configPage() admin.Page {
	return admin.Page{Pattern: "GET " + configPath, For: admin.TokenHolder, JSON: true,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			writeSettings(w, s.now().shown) // an error is the client's
		})}
}

// showRunning shows the settings of the recorder of the collection.
func (c *configCommand) showRunning() error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	running, err := cdxserver.At(dir)
	var text []byte
	if err == nil {
		text, err = running.Read(configPath)
	}
	if errors.Is(err, cdxserver.ErrNobody) {
		return nobodyRecords("config show", dir)
	}
	if err != nil {
		return fmt.Errorf("config show: %w", err)
	}
	var all []shown
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&all); err != nil {
		return fmt.Errorf("config show: the recorder's answer is not to be read: %w", err)
	}
	return c.print(all)
}
