package cmd

import (
	"os"
	"os/signal"
	"syscall"
)

// endings gives the signals that end a recording. SIGHUP is not one where the parent process has it
// ignored, as nohup does.
func endings() <-chan os.Signal {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	return signals
}
