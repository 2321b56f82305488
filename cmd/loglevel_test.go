package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// loudly is a volume with all levels.
func loudly(quiet, verbose bool) *volume {
	v := new(volume)
	v.set("info", quiet, verbose)
	return v
}

// TestLogLevel: what is below log-level is not written, but for the first line of a run and the last;
// an error and a warning are.
func TestLogLevel(t *testing.T) {
	site := newSite(t)
	for level, want := range map[string]string{
		"info":  "capture, ended, finishing what is in flight, recording, warn: no answer",
		"warn":  "ended, recording, warn: no answer",
		"error": "ended, recording",
	} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			rec := startRecording(t, "--log-level", level)
			rec.fetch(site.plain.URL + "/text/1/1000")
			rec.fetch("http://127.0.0.1:1/")
			rec.stop()
			var got []string
			for line := range strings.Lines(rec.stderr.String()) {
				var said struct{ Level, Message string }
				if err := json.Unmarshal([]byte(line), &said); err != nil {
					t.Fatalf("%v: %s", err, line)
				}
				if said.Level != "info" {
					said.Message = said.Level + ": " + said.Message
				}
				message, _, _ := strings.Cut(said.Message, ";")
				got = append(got, message)
			}
			if slices.Sort(got); strings.Join(got, ", ") != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// TestVolumeChanges: level, quiet and verbose change while a logger is in use, and one that was made
// of it; for people and for machines.
func TestVolumeChanges(t *testing.T) {
	for _, form := range []string{"json", "text"} {
		t.Run(form, func(t *testing.T) {
			line := commandLine{Log: form}
			var out bytes.Buffer
			log, _ := line.logger(&out)
			part := log.With().Str("part", "p").Logger().Level(zerolog.DebugLevel)
			for _, c := range []struct {
				level          string
				quiet, verbose bool
				want           string
			}{
				{"info", false, false, "capture one two three"},
				{"info", true, false, "one two three"},
				{"warn", false, true, "two three"},
				{"error", false, false, "three"},
				{"info", false, true, "capture one two three"},
			} {
				out.Reset()
				line.volume.set(c.level, c.quiet, c.verbose)
				log.Info().Str("url", "http://a/capture").Str("file", "f").Int("status", 200).Msg("capture")
				part.Info().Msg("one")
				part.Warn().Msg("two")
				log.Error().Msg("three")
				if got := wordsIn(out.String()); got != c.want {
					t.Errorf("%+v: %s", c, out.String())
				}
				if whole := strings.Contains(out.String(), "offset="); form == "text" &&
					strings.Contains(c.want, "capture") && whole != c.verbose {
					t.Errorf("%+v: %s", c, out.String())
				}
			}
		})
	}
}

// wordsIn are those of the test's lines that are there.
func wordsIn(log string) string {
	var found []string
	for _, word := range []string{"capture", "one", "two", "three"} {
		if strings.Contains(log, word) {
			found = append(found, word)
		}
	}
	return strings.Join(found, " ")
}

// BenchmarkUnwanted: a line below log-level costs next to nothing.
func BenchmarkUnwanted(b *testing.B) {
	for _, level := range []string{"info", "warn"} {
		b.Run(fmt.Sprint("level=", level), func(b *testing.B) {
			line := commandLine{Log: "json", Level: level}
			log, _ := line.logger(io.Discard)
			for b.Loop() {
				log.Info().Str("url", "http://a/").Int("status", 200).Msg("capture")
			}
		})
	}
}
