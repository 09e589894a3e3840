package demo

import "math"

func pen(c canvas, s scheme) {
	c.line(s.main, 9, point{38, 58}, point{70, 24})
	c.line(s.second, 9.4, point{52.5, 42.6}, point{54, 41})
	c.line(s.dark, 3, point{60, 26}, point{74, 34})
	c.fill(s.light, []point{{33, 54}, {43, 62}, {25, 76}})
	c.line(s.dark, .8, point{36, 61}, point{26, 75})
	c.line(s.main, 1.6, point{24, 80}, point{34, 78}, point{44, 81}, point{56, 78}, point{66, 80})
}

func pencils(c canvas, s scheme) {
	for i, k := range []ink{s.main, s.second, s.dark} {
		x := 32 + 18*float64(i)
		c.box(k, x-5, 36, 10, 44, .6)
		c.fill(s.light, []point{{x - 5, 36.5}, {x + 5, 36.5}, {x, 20}})
		c.fill(k, []point{{x - 1.6, 25.4}, {x + 1.6, 25.4}, {x, 20}})
	}
}

func palette(c canvas, s scheme) {
	c.fill(s.light, bend(48, 52, 32, 25, 0, 1), bend(64, 62, 6, 5, 1, 0))
	for i, k := range []ink{s.main, s.second, s.dark, 0x5d9a6b, 0xd98c8c, 0x6fa8c9} {
		sin, cos := math.Sincos(math.Pi * (.85 + float64(i)*.2))
		c.disc(k, 48+22*cos, 54+16*sin, 4.6)
	}
	c.line(s.dark, 2.4, point{58, 40}, point{84, 18})
	c.line(s.main, 4, point{54, 44}, point{58, 40})
}

func sheets(c canvas, s scheme) {
	c.fill(s.second, []point{{30, 24}, {72, 19}, {78, 74}, {36, 79}})
	c.fill(s.shade, []point{{27, 24}, {69, 22}, {72, 78}, {30, 80}})
	c.box(s.light, 24, 24, 43, 57, 1)
	for i := range 7 {
		c.line(s.main, .8, point{30, 34 + 6*float64(i)}, point{61, 34 + 6*float64(i)})
	}
	c.disc(s.main, 60, 75, 2.6)
}

func envelope(c canvas, s scheme) {
	c.box(s.second, 24, 24, 56, 38, 2)
	c.box(s.light, 18, 34, 62, 44, 2)
	c.fill(s.shade, []point{{18, 36}, {49, 59}, {80, 36}, {80, 34}, {18, 34}})
	c.fill(s.light, []point{{20, 34}, {78, 34}, {49, 56}})
	c.disc(s.main, 49, 56, 5)
	c.disc(s.light, 49, 56, 1.8)
}

func notebook(c canvas, s scheme) {
	c.box(s.shade, 32, 23, 44, 60, 2)
	c.box(s.light, 30, 22, 44, 59, 2)
	c.box(s.main, 26, 20, 44, 60, 3)
	c.box(s.dark, 26, 20, 7, 60, 2)
	c.box(s.light, 40, 32, 22, 13, 1)
	c.line(s.dark, .9, point{44, 37}, point{58, 37})
	c.line(s.dark, .9, point{44, 41}, point{54, 41})
	c.box(s.second, 62, 20, 3, 66, .4)
}

func inkwell(c canvas, s scheme) {
	c.box(s.light, 28, 42, 44, 40, 7)
	c.box(s.main, 31, 56, 38, 23, 5)
	c.box(s.light, 41, 34, 18, 10, 1)
	c.box(s.dark, 38, 22, 24, 14, 3)
	c.box(s.second, 38, 61, 24, 12, 1)
	c.line(s.glow, 1.8, point{35, 48}, point{35, 53})
}

func tape(c canvas, s scheme) {
	for i, k := range []ink{s.second, s.dark, s.main} {
		x, y := 36+14*float64(i), 40+9*float64(i)
		c.disc(s.light, x, y, 17)
		c.ring(k, x, y, 13, 8)
		c.ring(s.light, x, y, 8.4, 1.4)
	}
}

func ruler(c canvas, s scheme) {
	c.fill(s.second, []point{{20, 70}, {70, 20}, {80, 30}, {30, 80}})
	for i := range 11 {
		d, long := 4.4*float64(i), 4.0
		if i%5 == 0 {
			long = 6.5
		}
		c.line(s.dark, .8, point{23 + d, 67.5 - d}, point{23 + d + long*.7, 67.5 - d + long*.7})
	}
	c.line(s.main, 3, point{26, 30}, point{62, 66})
	c.ring(s.main, 22, 26, 5, 2.6)
	c.fill(s.light, []point{{60, 68}, {64, 64}, {74, 77}})
}

func brush(c canvas, s scheme) {
	c.line(s.second, 5, point{44, 48}, point{72, 16})
	c.line(s.dark, 7.4, point{40, 53}, point{44, 48})
	c.fill(s.main, []point{{36.5, 50}, {43.5, 56}, {40, 68}, {24, 78}, {29, 62}})
	c.fill(s.main, append(bend(56, 76, 18, 3.4, .5, 1), point{74, 77}, point{38, 77}))
}

func stamp(c canvas, s scheme) {
	c.box(s.second, 38, 20, 24, 34, 6)
	c.box(s.dark, 34, 50, 32, 12, 2)
	c.box(s.main, 28, 66, 44, 15, 2)
	c.line(s.light, 1.6, point{36, 70}, point{36, 77}, point{44, 77}, point{44, 70})
	c.line(s.light, 1.6, point{50, 70}, point{64, 70}, point{57, 70}, point{57, 77})
}

func calendar(c canvas, s scheme) {
	c.box(s.light, 24, 24, 52, 57, 3)
	c.box(s.main, 24, 24, 52, 26, 3)
	c.disc(s.second, 62, 34, 6)
	c.fill(s.dark, []point{{24, 50}, {38, 36}, {48, 45}, {56, 39}, {70, 50}})
	for i := range 20 {
		c.box(s.shade, 30+9*float64(i%5), 55+6*float64(i/5), 5, 3.4, .6)
	}
	for i := range 5 {
		c.line(s.dark, 1.4, point{32 + 9*float64(i), 20}, point{32 + 9*float64(i), 27})
	}
}

func pouch(c canvas, s scheme) {
	c.box(s.main, 16, 36, 68, 36, 10)
	c.box(s.dark, 16, 44, 68, 2, .4)
	c.box(s.second, 66, 41, 10, 8, 2)
	for i := range 9 {
		x := 24 + 6.5*float64(i)
		c.line(s.light, .7, point{x, 56}, point{x + 3, 59}, point{x, 62})
	}
}
