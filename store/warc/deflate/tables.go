// Made by TestTrain; DO NOT EDIT.

package deflate

// trained are the presets, made from what a recorder meets: heads of records of its own, pages,
// scripts and style sheets, JSON.
var trained = [...]preset{
	{
		"head",
		"dddddddddd6dd6dddddddddddddddddd5d8ddddda99b8566556666666758a89bd68678887798779879776887888dddd8" +
			"d575646675a8675569665788889ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd" +
			"ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddaddd968aa9a9abdcdcdddddddddddd",
		"cccccc564443343444378ccccccccb",
	},
	{
		"html",
		"ddddddddd96ddddddddddddddddddddd4b69dcaa99bc8666767777787889676cc9a8999aa8dc99999d988aababdbdbd8" +
			"d575546665a856556a55467777aadadddddddddddddddddddddddddddddddddd8bcc9bbccdccccddbbcbbbcbbbbbbcbb" +
			"ab8bccbbbcbcbcbbbcbcbcbccccddcbcabbbcadcbcbbbbacbbbbddcdcddccdddcdddbb7787788789989aa9abcbdddb",
		"a9cc997766554444444444444557cc",
	},
	{
		"script",
		"dddddddddb7ddddddddddddddddddddd4979ba8877996767777788888877978ab678878998999899988889aaaaa888d8" +
			"a57664666598565569554677779897dddddcdddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd" +
			"dddddddddddddddddddddddddddddddddddbddddddddddddddddddddddddddddbddd996776778788999abababbbcca",
		"99cbc97755454544444444454557bb",
	},
	{
		"json",
		"dddddddddd6ddddddddddddddddddddd4d5baacbaabb777888899999996c8b8bb7988889a7ca99898c8789a9cbb999c9" +
			"d576646665a86655695545888798c8dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd" +
			"ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddbdddbb56766676777678899ab9abb9",
		"bbddc69866554545443444444557cc",
	},
}
