package proxy

import (
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// warn logs what became of an exchange. It is a warning and no error: the recording goes on, and
// the gap list has what is missing.
func warn(log *zerolog.Logger, message, url string, err error) {
	log.Warn().Str("url", recorder.Logged(url)).Err(err).Msg(message)
}

// maxLineLogged is how much of a framing line the log shows: who sends it may send one of
// max-header-size with each message.
const maxLineLogged = 200

// warnHead logs a refused message, with the framing lines that contradict each other and no other
// line.
func warnHead(log *zerolog.Logger, message, url string, err error) {
	event := log.Warn().Err(err)
	if url != "" {
		event = event.Str("url", recorder.Logged(url))
	}
	var head *http1.Error
	if errors.As(err, &head) {
		lines := make([]string, len(head.Lines))
		for i, line := range head.Lines {
			lines[i] = fmt.Sprintf("%+q", line[:min(len(line), maxLineLogged)])
		}
		event = event.Strs("lines", lines)
	}
	event.Msg(message)
}
