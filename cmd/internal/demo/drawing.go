package demo

import "math"

// scheme is the colors of a drawing: the background, a shape behind the product and its shadow, the
// two colors of the product, and its dark and light parts.
type scheme struct{ ground, glow, shade, main, second, dark, light ink }

// Color schemes of the two stores, which their products use in turn.
var (
	bikeSchemes = []scheme{
		{0xdce9e6, 0xc5dcd7, 0xaecbc5, 0x0f5f58, 0xe9a23b, 0x1d2b2a, 0xf6f3ea},
		{0xf3e4d3, 0xecd3b8, 0xdcbf9f, 0xc8502e, 0x24505c, 0x2a2320, 0xfbf6ec},
		{0xe3e6f1, 0xd0d6ea, 0xb9c1dc, 0x30478c, 0xf2b441, 0x1e2338, 0xf8f7f2},
		{0xeef0da, 0xdfe4bd, 0xc9d0a1, 0x5d7a2c, 0xd6603a, 0x262b1a, 0xfaf8ec},
		{0xf4dfdd, 0xedc9c6, 0xdcb0ac, 0xa8323e, 0x2f6f73, 0x2c1c1e, 0xfbf3ee},
	}
	paperSchemes = []scheme{
		{0xf4efe4, 0xe9e0cd, 0xd9cdb4, 0x2c4a7c, 0xb8862e, 0x1e2430, 0xfdfaf3},
		{0xf6e7e2, 0xefd5cc, 0xdfbfb4, 0xb23a2e, 0x3a5a4a, 0x2b1f1c, 0xfdf6f1},
		{0xe6eee4, 0xd4e1d1, 0xbccdb9, 0x4a7a5c, 0xc9993f, 0x1f2a22, 0xf9faf3},
		{0xebe6f0, 0xdbd2e5, 0xc6bbd3, 0x6b4f8a, 0xd99a4e, 0x272032, 0xfaf7fb},
		{0xe4eaf0, 0xd0dbe6, 0xb8c7d6, 0x3f6a8a, 0xc45b4a, 0x1d2832, 0xf7fafb},
	}
)

// motif draws a kind of product.
type motif func(c canvas, s scheme)

// motifs are the motifs of both stores by kind.
var motifs = map[string]motif{
	"Bikes": bicycle, "Tyres": tyre, "Helmets": helmet, "Locks": lock, "Bags": bag, "Bells": bell,
	"Clothing": jacket, "Lights": lamp, "Tools": wrench, "Drivetrain": sprocket, "Saddles": saddle,
	"Mudguards": mudguard, "Accessories": bottle, "Brakes": disk, "Handlebars": handlebar, "Pedals": pedal,
	"Racks": rack, "Care": bottle, "Services": gift,

	"筆記具": pen, "Pens": pen, "画材": palette, "便箋": sheets, "封筒": envelope, "ノート": notebook, "노트": notebook,
	"手帳": notebook, "สมุด": notebook, "インク": inkwell, "먹": inkwell, "テープ": tape, "文具": ruler, "문구": ruler,
	"礼盒": gift, "纸": sheets, "काग़ज़": sheets, "Paper": sheets, "毛笔": brush, "印": stamp, "Seals": stamp,
	"เครื่องเขียน": pencils, "Desk": ruler, "Calendars": calendar, "Cases": pouch, "サービス": gift,
}

// drawing draws a kind of product in a color scheme.
func drawing(kind string, s scheme) canvas {
	c := newCanvas(s.ground)
	c.disc(s.glow, 50, 46, 37)
	c.oval(s.shade, 50, 84, 34, 4)
	draw, ok := motifs[kind]
	if !ok {
		draw = gift
	}
	draw(c, s)
	return c
}

func bicycle(c canvas, s scheme) {
	for _, x := range []float64{27, 73} {
		c.ring(s.dark, x, 65, 16.5, 2.6)
		for i := range 8 {
			sin, cos := math.Sincos(math.Pi * float64(i) / 8)
			c.line(s.shade, .5, point{x - 15*cos, 65 - 15*sin}, point{x + 15*cos, 65 + 15*sin})
		}
		c.disc(s.dark, x, 65, 2)
	}
	c.line(s.main, 2.6, point{27, 65}, point{42, 40}, point{66, 38}, point{48, 65}, point{27, 65})
	c.line(s.main, 2.6, point{39, 34}, point{48, 65})
	c.line(s.main, 2.6, point{64, 31}, point{73, 65})
	c.line(s.dark, 3.4, point{33, 33}, point{45, 33})
	c.line(s.dark, 2.4, point{64, 31}, point{72, 29}, point{75, 33})
	c.ring(s.second, 48, 65, 4.5, 2)
	c.line(s.dark, 1.8, point{48, 65}, point{52, 73}, point{57, 73})
}

func tyre(c canvas, s scheme) {
	c.ring(s.dark, 50, 50, 28, 9)
	c.ring(s.main, 50, 50, 25, 2)
	for i := range 36 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 36)
		c.line(s.glow, .9, point{50 + 29.5*cos, 50 + 29.5*sin}, point{50 + 32*cos, 50 + 32*sin})
	}
	c.box(s.second, 44, 20, 12, 6, 2)
}

func helmet(c canvas, s scheme) {
	c.fill(s.main, append(bend(50, 62, 31, 34, .5, 1), point{83, 66}, point{81, 70}, point{19, 70}, point{17, 66}))
	for i := range 3 {
		x := 32 + 18*float64(i)
		c.oval(s.dark, x, 46+math.Abs(x-50)*.3, 3.2, 9)
	}
	c.box(s.second, 18, 65, 64, 4.4, 2)
	c.line(s.dark, 1.8, point{30, 70}, point{42, 84}, point{56, 70})
}

func lock(c canvas, s scheme) {
	c.arc(s.dark, 40, 18, 6, .5, 1)
	c.line(s.dark, 6, point{32, 40}, point{32, 60})
	c.line(s.dark, 6, point{68, 40}, point{68, 60})
	c.box(s.main, 22, 56, 56, 22, 5)
	c.box(s.second, 22, 63, 56, 3, 0.5)
	c.disc(s.light, 50, 70, 4)
	c.line(s.dark, 1.6, point{50, 68.6}, point{50, 72})
}

func bag(c canvas, s scheme) {
	c.arc(s.dark, 31, 10, 3, .5, 1)
	c.box(s.main, 22, 31, 56, 50, 7)
	c.box(s.second, 22, 31, 56, 20, 7)
	for _, x := range []float64{35, 65} {
		c.box(s.dark, x-2.5, 43, 5, 20, 1.5)
		c.box(s.light, x-3.5, 55, 7, 5, 1)
	}
}

func bell(c canvas, s scheme) {
	c.fill(s.second, append(bend(50, 58, 28, 32, .5, 1), point{78, 62}, point{22, 62}))
	c.arc(s.light, 58, 22, 2.4, .58, .72)
	c.box(s.dark, 18, 60, 64, 6, 3)
	c.disc(s.dark, 50, 25, 4)
	c.box(s.main, 42, 66, 16, 13, 2)
	c.line(s.dark, 3, point{76, 63}, point{86, 56})
}

func jacket(c canvas, s scheme) {
	c.fill(s.main, []point{{38, 22}, {62, 22}, {80, 32}, {90, 62}, {79, 66}, {73, 48}, {73, 82}, {27, 82}, {27, 48},
		{21, 66}, {10, 62}, {20, 32}})
	c.fill(s.second, []point{{27, 56}, {73, 56}, {73, 63}, {27, 63}})
	c.fill(s.dark, []point{{38, 22}, {62, 22}, {50, 34}})
	c.line(s.light, 1.4, point{50, 34}, point{50, 80})
}

func lamp(c canvas, s scheme) {
	c.fill(s.light, []point{{58, 40}, {92, 24}, {92, 76}, {58, 60}})
	c.box(s.dark, 20, 37, 32, 26, 8)
	c.fill(s.main, []point{{46, 37}, {60, 32}, {60, 68}, {46, 63}})
	c.box(s.second, 58, 31, 5, 38, 2.5)
	c.box(s.dark, 30, 63, 10, 14, 2)
	c.disc(s.second, 30, 45, 2.4)
}

func wrench(c canvas, s scheme) {
	c.line(s.main, 9, point{32, 68}, point{66, 34})
	c.disc(s.main, 70, 30, 13)
	c.fill(s.glow, []point{{67, 23}, {75, 17.5}, {82, 24.5}, {76, 32}})
	c.disc(s.main, 29, 71, 10)
	c.disc(s.glow, 29, 71, 4.5)
	c.line(s.second, 7, point{30, 34}, point{44, 48})
	c.line(s.dark, 3, point{44, 48}, point{70, 74})
}

func sprocket(c canvas, s scheme) {
	for i := range 24 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 24)
		c.line(s.main, 3.4, point{50 + 26*cos, 50 + 26*sin}, point{50 + 32*cos, 50 + 32*sin})
	}
	c.ring(s.main, 50, 50, 22, 11)
	for i := range 5 {
		sin, cos := math.Sincos(2*math.Pi*float64(i)/5 - math.Pi/2)
		c.line(s.second, 5, point{50, 50}, point{50 + 18*cos, 50 + 18*sin})
	}
	c.disc(s.dark, 50, 50, 7)
	c.disc(s.light, 50, 50, 2.6)
}

func saddle(c canvas, s scheme) {
	c.fill(s.main, append(bend(30, 46, 17, 12, .25, .78), point{60, 40}, point{84, 40}, point{88, 44}, point{84, 49},
		point{58, 54}))
	c.line(s.second, 1.4, point{24, 38}, point{56, 43}, point{82, 43.5})
	c.line(s.dark, 2.4, point{30, 58}, point{46, 62}, point{72, 50})
	c.box(s.dark, 43, 60, 9, 24, 2)
	c.disc(s.second, 20, 46, 1.8)
}

func mudguard(c canvas, s scheme) {
	c.ring(s.shade, 50, 60, 21, 2)
	c.arc(s.main, 60, 28, 6, .46, .98)
	c.line(s.dark, 1.6, point{50, 60}, point{24, 50})
	c.line(s.dark, 1.6, point{50, 60}, point{70, 40})
	c.disc(s.second, 50, 60, 3)
}

func bottle(c canvas, s scheme) {
	c.box(s.main, 36, 34, 28, 49, 7)
	c.box(s.second, 36, 50, 28, 16, .5)
	c.box(s.dark, 40, 25, 20, 11, 3)
	c.box(s.light, 45, 16, 10, 10, 3)
	c.line(s.light, 1.8, point{42, 40}, point{42, 47})
}

func disk(c canvas, s scheme) {
	c.ring(s.main, 50, 50, 25, 9)
	for i := range 18 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 18)
		c.disc(s.glow, 50+25*cos, 50+25*sin, 1.7)
	}
	for i := range 6 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 6)
		c.line(s.dark, 2.6, point{50 + 6*cos, 50 + 6*sin}, point{50 + 21*cos, 50 + 21*sin})
	}
	c.ring(s.dark, 50, 50, 7, 4)
	c.box(s.second, 66, 26, 17, 24, 4)
}

func handlebar(c canvas, s scheme) {
	c.line(s.dark, 5, point{28, 42}, point{72, 42})
	for _, x := range []float64{28, 72} {
		way := math.Copysign(1, x-50)
		c.line(s.main, 6.4, point{x, 42}, point{x + 8*way, 48}, point{x + 10*way, 60}, point{x + 3*way, 70},
			point{x - 5*way, 71})
	}
	c.box(s.second, 44, 36, 12, 12, 3)
	c.line(s.dark, 5, point{50, 46}, point{50, 62})
}

func pedal(c canvas, s scheme) {
	for _, y := range []float64{36, 62} {
		c.box(s.main, 24, y-9, 44, 18, 4)
		c.box(s.glow, 32, y-4, 12, 8, 2)
		c.box(s.glow, 48, y-4, 12, 8, 2)
		c.line(s.dark, 4, point{68, y}, point{82, y})
		for i := range 4 {
			c.disc(s.second, 28+12*float64(i), y-7, 1.3)
		}
	}
}

func rack(c canvas, s scheme) {
	for _, y := range []float64{38, 46} {
		c.line(s.main, 3, point{18, y}, point{82, y})
	}
	for i := range 5 {
		x := 24 + 13*float64(i)
		c.line(s.main, 2, point{x, 38}, point{x, 46})
	}
	c.line(s.dark, 2.6, point{34, 46}, point{48, 80}, point{58, 46})
	c.line(s.dark, 2.6, point{48, 80}, point{76, 46})
	c.box(s.second, 79, 38, 6, 8, 2)
}

func gift(c canvas, s scheme) {
	c.box(s.main, 24, 44, 52, 38, 3)
	c.box(s.main, 20, 35, 60, 13, 3)
	c.box(s.shade, 24, 48, 52, 1.4, .5)
	c.box(s.second, 45, 35, 10, 47, .5)
	c.ring(s.second, 41, 28, 7, 4)
	c.ring(s.second, 59, 28, 7, 4)
	c.disc(s.second, 50, 34, 4)
}
