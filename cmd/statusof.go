package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// fleetFlags are how status asks recorders by their addresses.
type fleetFlags struct {
	Of        string `name:"of" placeholder:"ADDRESS,…"`
	APIToken  string `name:"api-token" placeholder:"TOKEN"`
	TokenFile string `name:"token-file" placeholder:"FILE"`
}

const (
	mostAsked  = 1000 // recorders
	askAtOnce  = 64
	tokenBytes = 4 << 10 // of a file
)

// sumUp asks all recorders of --of, prints what they are, and fails unless all record.
func (c *statusCommand) sumUp() error {
	addresses := listed(c.Of)
	if len(addresses) == 0 { // of which all would record
		return errors.New("--of names no recorder: write HOST:PORT,HOST:PORT")
	}
	if len(addresses) > mostAsked {
		return fmt.Errorf("--of: at most %d recorders can be asked at once", mostAsked)
	}
	token, err := c.token()
	if err != nil {
		return err
	}
	all, err := askAll(context.Background(), addresses, token)
	if err != nil {
		return err
	}
	fleet := summed(all)
	if c.Check && !fleet.Sum.isWell() {
		return errors.New(fleet.line())
	}
	text := fleet.text
	if c.Check {
		text = func() string { return fleet.line() + "\n" }
	}
	if err := c.print(fleet, text); err != nil {
		return err
	}
	if !fleet.Sum.isWell() {
		return exitStatus(1)
	}
	return nil
}

// token is what is shown to the recorders; "" is none.
func (c *fleetFlags) token() (string, error) {
	if c.TokenFile == "" {
		return c.APIToken, checkToken(c.APIToken)
	}
	f, err := os.Open(c.TokenFile)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, tokenBytes+1))
	token := strings.TrimSpace(string(text))
	if err == nil && (token == "" || len(text) > tokenBytes || checkToken(token) != nil) {
		err = fmt.Errorf("%s holds no token: write one line into it, the recorders' api-token", c.TokenFile)
	}
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return token, nil
}

// askAll asks recorders, several at once; what they tell comes in the order of their addresses.
func askAll(ctx context.Context, addresses []string, token string) ([]askedOne, error) {
	all := make([]askedOne, len(addresses))
	turns := make(chan struct{}, askAtOnce)
	var asking sync.WaitGroup
	for i, address := range addresses {
		address = strings.TrimSpace(address)
		site, err := siteOf(address)
		if err != nil {
			return nil, err
		}
		asking.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			all[i] = askOne(ctx, site, token)
			all[i].Address = address
		})
	}
	asking.Wait()
	return all, nil
}
