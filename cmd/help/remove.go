package help

var remove = Command{
	Name: "remove",
	Line: "Take captures out of the collection for good",
	About: "What belongs to them goes too: requests, metadata, lines of the index, gaps. What others " +
		"need of them is kept with these. It says what goes and asks; a tombstone says that something went.",
	Examples: []Example{
		{"warcorder remove --url http://a.org/ --dry-run", "see what would go"},
		{"warcorder remove --url http://a.org/ --match host -y", "a site"},
		{"warcorder remove --to 2025 --forget --yes", "years; nothing names it"},
	},
	Flags: []FlagGroup{
		{"What goes", "url match from to page file"},
		{"How", "dry-run yes forget reason"},
	},
	End: "A recorder that has the collection open does it, and goes on. Without one, what a crash has " +
		"left is first brought into order, as recover does it: the settings of record count for that.",
	Settings: true,
	Texts: map[string]string{
		"--dry-run": "Only say what would go.",
		"--yes":     "Do not ask. Where no person is at a terminal it must be said.",
		"--forget": "Let the tombstones say how much went and not what. Earlier ones no longer name it " +
			"either.",
		"--reason": "Why, for the tombstones.",
	},
}
