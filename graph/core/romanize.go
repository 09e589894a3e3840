package core

import (
	_ "embed"
	"strings"
	"unicode"
)

// latin replaces Latin letters that do not decompose into a base letter and an accent.
// It also romanizes Cyrillic, Greek, Arabic and Hebrew letters, which have one usual form without
// accents.
var latin = strings.NewReplacer(append(romanized(),
	"ß", "ss", "ẞ", "ss", "æ", "ae", "Æ", "ae", "œ", "oe", "Œ", "oe", "ø", "o", "Ø", "o",
	"đ", "d", "Đ", "d", "ð", "d", "Ð", "d", "ł", "l", "Ł", "l", "þ", "th", "Þ", "th", "ı", "i")...)

// romanized returns pairs of letters, lower and upper case.
func romanized() (pairs []string) {
	fields := strings.Fields("а a б b в v г g д d е e ё yo ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f " +
		"х kh ц ts ч ch ш sh щ shch ы y э e ю yu я ya і i ї yi є ye ґ g ў u ђ dj ј j љ lj њ nj ћ c џ dz " +
		"α a ά a β v γ g δ d ε e έ e ζ z η i ή i θ th ι i ί i ϊ i ΐ i κ k λ l μ m ν n ξ x ο o ό o π p ρ r σ s ς s τ t " +
		"υ y ύ y ϋ y ΰ y φ f χ ch ψ ps ω o ώ o " +
		"ا a آ a أ a إ i ب b ت t ث th ج j ح h خ kh د d ذ dh ر r ز z س s ش sh ص s ض d ط t ظ z ع a غ gh ف f ق q ك k ل l " +
		"م m ن n ه h و w ؤ w ي y ئ y ى a ة a پ p چ ch ژ zh گ g ک k ی y " +
		"א a ב b ג g ד d ה h ו v ז z ח h ט t י y כ k ך k ל l מ m ם m נ n ן n ס s ע a פ p ף p צ ts ץ ts ק k ר r ש sh ת t")
	fields = append(fields, "ъ", "", "ь", "", "ء", "", "ـ", "")
	for i := 0; i < len(fields); i += 2 {
		pairs = append(pairs, fields[i], fields[i+1])
		if upper := strings.ToUpper(fields[i]); len([]rune(upper)) == 1 { // some have no upper case of their own
			pairs = append(pairs, upper, fields[i+1])
		}
	}
	return pairs
}

// kana romanizes katakana after Hepburn, without marking long vowels.
var kana = strings.NewReplacer(kanaPairs()...)

// kanaPairs returns pairs of kana, two of one syllable before each alone.
func kanaPairs() (pairs []string) {
	for row := range strings.FieldsSeq("キky シsh チch ニny ヒhy ミmy リry ギgy ジj ヂj ビby ピpy") {
		first, consonant := row[:len("キ")], row[len("キ"):]
		pairs = append(pairs, first+"ャ", consonant+"a", first+"ュ", consonant+"u", first+"ョ", consonant+"o")
	}
	return append(pairs, strings.Fields("シェ she チェ che ジェ je ティ ti ディ di トゥ tu ドゥ du デュ dyu "+
		"ファ fa フィ fi フェ fe フォ fo ウィ wi ウェ we ウォ wo ヴァ va ヴィ vi ヴェ ve ヴォ vo ヴ vu "+
		"ア a イ i ウ u エ e オ o カ ka キ ki ク ku ケ ke コ ko サ sa シ shi ス su セ se ソ so タ ta チ chi ツ tsu テ te ト to "+
		"ナ na ニ ni ヌ nu ネ ne ノ no ハ ha ヒ hi フ fu ヘ he ホ ho マ ma ミ mi ム mu メ me モ mo ヤ ya ユ yu ヨ yo "+
		"ラ ra リ ri ル ru レ re ロ ro ワ wa ヰ i ヱ e ヲ o ン n ガ ga ギ gi グ gu ゲ ge ゴ go ザ za ジ ji ズ zu ゼ ze ゾ zo "+
		"ダ da ヂ ji ヅ zu デ de ド do バ ba ビ bi ブ bu ベ be ボ bo パ pa ピ pi プ pu ペ pe ポ po "+
		"ァ a ィ i ゥ u ェ e ォ o ャ ya ュ yu ョ yo ヮ wa ヵ ka ヶ ke")...)
}

// romanize writes the letters of a title in normalization form KC in Latin letters, where they have
// usual forms: letters of the scripts of latin, kana, Hangul and common Chinese characters. Others
// stay.
func romanize(title string) string {
	if isASCII(title) {
		return title
	}
	title = latin.Replace(title)
	if strings.ContainsFunc(title, isKana) {
		return fromKana(title) // the Japanese reading of Chinese characters depends on the word
	}
	var b strings.Builder
	for _, r := range title {
		switch {
		case r >= firstHangul && r <= lastHangul:
			b.WriteString(fromHangul(r))
		case unicode.Is(unicode.Han, r):
			if read := fromHan(r); read != "" {
				b.WriteString(" " + read + " ")
				continue
			}
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isKana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }

// fromKana romanizes the kana of a text. A small tsu doubles the consonant that follows, with a t
// before ch.
func fromKana(text string) string {
	const toKatakana = 'ア' - 'あ'
	text = kana.Replace(strings.Map(func(r rune) rune {
		switch {
		case r == 'ー': // a long vowel
			return -1
		case r >= 'ぁ' && r <= 'ゖ':
			return r + toKatakana
		}
		return r
	}, text))
	parts := strings.Split(text, "ッ")
	for i, after := range parts[1:] {
		switch {
		case strings.HasPrefix(after, "ch"):
			parts[i+1] = "t" + after
		case after != "" && strings.ContainsRune("bdfghjkmpqrstwyz", rune(after[0])):
			parts[i+1] = after[:1] + after
		}
	}
	return strings.Join(parts, "")
}

const firstHangul, lastHangul = '가', '힣'

// The parts of a syllable of Hangul in the order of Unicode, in the Revised Romanization of Korean.
var (
	hangulFirst = strings.Split("g kk n d tt r m b pp s ss  j jj ch k t p h", " ")
	hangulVowel = strings.Fields("a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i")
	hangulLast  = strings.Split(" k k k n n n t l k m l l l p l m p p t t ng t t k t p t", " ")
)

// fromHangul romanizes a syllable by itself, whatever its neighbors.
func fromHangul(r rune) string {
	i, lasts, vowels := int(r-firstHangul), len(hangulLast), len(hangulVowel)
	return hangulFirst[i/lasts/vowels] + hangulVowel[i/lasts%vowels] + hangulLast[i%lasts]
}

// pinyin has a line for each syllable of Mandarin without its tone, and the characters that are
// usually read so: those of level 1 of GB 2312 and of Big5. The readings are the first ones that the
// library pypinyin (MIT license) has for each character.
//
//go:embed pinyin.txt
var pinyin string

// fromHan returns the usual reading of a Chinese character in Mandarin, or "" if it is a rare one.
func fromHan(r rune) string {
	i := strings.IndexRune(pinyin, r)
	if i < 0 {
		return ""
	}
	read, _, _ := strings.Cut(pinyin[strings.LastIndexByte(pinyin[:i], '\n')+1:], " ")
	return read
}
