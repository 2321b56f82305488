package replaying

import (
	"strings"
	"testing"
	"time"
)

// TestMoment: what is given in full is taken as it is, and what leaves something open is the middle
// of it.
func TestMoment(t *testing.T) {
	for text, want := range map[string]string{
		"20240229123059":            "2024-02-29T12:30:59Z",
		"2024022912":                "2024-02-29T12:29:59Z",
		"20240229":                  "2024-02-29T11:59:59Z",
		"2024-02-29":                "2024-02-29T11:59:59Z",
		"202402":                    "2024-02-15T11:59:59Z",
		"2024-02":                   "2024-02-15T11:59:59Z",
		"2024":                      "2024-07-01T23:59:59Z",
		"20241":                     "2024-11-15T23:59:59Z", // October to December
		"2024023":                   "",                     // February has no 30th
		"2024022":                   "2024-02-24T23:59:59Z",
		"202":                       "2024-12-31T11:59:59Z",
		"2":                         "2499-12-31T11:59:59Z",
		"1":                         "1499-12-31T23:59:59Z",
		"2024-02-29T12:30":          "2024-02-29T12:30:29Z",
		"2024-02-29 12:30:59":       "2024-02-29T12:30:59Z",
		"2024-02-29T12:30:59Z":      "2024-02-29T12:30:59Z",
		"2024-02-29T12:30:59+02:00": "2024-02-29T10:30:59Z",
		"":                          "",
		"0":                         "",
		"0999":                      "",
		"20230229":                  "",
		"20241301":                  "",
		"2024010124":                "",
		"20240101126":               "",
		"202402291230591":           "",
		"yesterday":                 "",
		"-2024":                     "",
		"2024-02-29T12:30:59.5.5Z":  "",
		"２０２４":                      "",
	} {
		at, err := ParseMoment(text)
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "is no ") {
				t.Errorf("%q: %v, %v", text, at, err)
			}
			continue
		}
		if got := at.Format(time.RFC3339); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
}

// TestDigits: what is given in another form is the digits that it stands for; what is digits stays so.
func TestDigits(t *testing.T) {
	for text, want := range map[string]string{
		"2026":                      "2026",
		"20241":                     "20241",
		"20260230":                  "20260230",
		"2026-11":                   "202611",
		"2026-11-05":                "20261105",
		"2026-11-05 12:30":          "202611051230",
		"2026-11-05T12:30:01":       "20261105123001",
		"2026-11-05T12:30:01Z":      "20261105123001",
		"2026-11-05T12:30:01.9Z":    "20261105123001",
		"2026-11-05T00:30:01+02:00": "20261104223001",
		"2026-13":                   "",
		"yesterday":                 "",
		"":                          "",
		"202611051230011":           "",
	} {
		got, err := Digits(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestMomentNearest: whatever lies within what was given is nearer than whatever does not.
func TestMomentNearest(t *testing.T) {
	at, err := ParseMoment("2024")
	if err != nil {
		t.Fatal(err)
	}
	within := at.Sub(time.Date(2024, 12, 31, 23, 59, 59, 0, time.UTC)).Abs()
	before := at.Sub(time.Date(2023, 12, 31, 23, 59, 58, 0, time.UTC)).Abs()
	after := at.Sub(time.Date(2025, 1, 1, 0, 0, 1, 0, time.UTC)).Abs()
	if within >= before || within >= after {
		t.Errorf("%v within, %v before, %v after", within, before, after)
	}
}
