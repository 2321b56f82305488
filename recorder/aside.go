package recorder

import (
	"fmt"
	"path/filepath"

	"warcorder/recorder/spill"
)

// setAside deals with files that cannot be recorded.
func (s *spillRecovery) setAside(l spill.Leftover, url string, why error) error {
	s.Broken++
	suffix, err := spill.SetAside(l.Path)
	s.log.Error().Err(why).Str("file", l.Path+".*"+suffix).Int64("bytes", l.Size).
		Msg("an exchange lost: what it had spilled cannot be recorded, and is set aside")
	s.Gap(GapWrite, url, fmt.Sprintf("%s cannot be recorded: %v", filepath.Base(l.Path), why))
	return err
}
