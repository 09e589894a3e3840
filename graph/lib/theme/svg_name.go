package theme

import "strings"

func set(text string) map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(text) {
		m[name] = true
	}
	return m
}

// elements of SVG that draw. Elements that link, load, embed or execute are left out: a, image,
// feImage, foreignObject, script, set, mpath and others.
var elements = set(`
	svg g defs symbol use switch view title desc style
	path rect circle ellipse line polyline polygon
	text tspan textPath
	linearGradient radialGradient stop pattern clipPath mask marker
	animate animateTransform animateMotion
	filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
	feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology
	feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`)

// attributes of these elements. href is checked separately.
var attributes = set(`
	id class style lang tabindex role focusable version baseProfile xml:space xml:lang
	x y z x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy width height d points pathLength viewBox preserveAspectRatio
	transform transform-origin gradientTransform patternTransform gradientUnits patternUnits patternContentUnits
	spreadMethod offset clipPathUnits maskUnits maskContentUnits filterUnits primitiveUnits
	markerWidth markerHeight markerUnits refX refY orient
	textLength lengthAdjust rotate startOffset method spacing side
	systemLanguage requiredFeatures requiredExtensions type media enable-background
	alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation color-interpolation-filters
	color-rendering cursor direction display dominant-baseline fill fill-opacity fill-rule filter flood-color
	flood-opacity font font-family font-size font-size-adjust font-stretch font-style font-variant font-weight
	glyph-orientation-horizontal glyph-orientation-vertical image-rendering isolation kerning letter-spacing
	lighting-color marker marker-end marker-mid marker-start mask mask-type mix-blend-mode opacity overflow
	paint-order pointer-events shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset
	stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-align text-anchor
	text-decoration text-rendering unicode-bidi vector-effect visibility word-spacing writing-mode
	attributeName attributeType begin dur end min max restart repeatCount repeatDur fill calcMode values keyTimes
	keySplines keyPoints from to by additive accumulate path origin
	in in2 result mode operator k1 k2 k3 k4 order kernelMatrix divisor bias targetX targetY edgeMode
	preserveAlpha surfaceScale diffuseConstant specularConstant specularExponent limitingConeAngle kernelUnitLength
	scale xChannelSelector yChannelSelector tableValues slope intercept amplitude exponent azimuth elevation
	pointsAtX pointsAtY pointsAtZ stdDeviation radius baseFrequency numOctaves seed stitchTiles`)
