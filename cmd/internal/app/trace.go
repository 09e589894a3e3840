package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// tracer turns requests into spans; nil means that tracing is off, and costs nothing.
type tracer struct {
	provider *trace.TracerProvider
	proxies  []netip.Prefix
}

// newTracer creates a tracer if the standard variables ask for one (OpenTelemetry's "Environment
// Variable Specification"). The library itself reads endpoint, headers, sampler and limits.
func newTracer(
	ctx context.Context, env func(string) string, version string, proxies []netip.Prefix, log *slog.Logger,
) (*tracer, error) {
	if asked, err := tracesAsked(env); !asked || err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "storefront"),
			attribute.String("service.version", version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	// The library reports failed exports here instead of printing them.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces", "error", err) }))
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))
	return &tracer{provider: provider, proxies: proxies}, nil
}

// tracesAsked reports whether the variables ask for traces in a supported form.
func tracesAsked(env func(string) string) (bool, error) {
	if strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	endpoint := env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") + env("OTEL_EXPORTER_OTLP_ENDPOINT")
	switch exporter := env("OTEL_TRACES_EXPORTER"); exporter {
	case "none":
		return false, nil
	case "":
		if endpoint == "" {
			return false, nil
		}
	case "otlp":
	default:
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER=%s: only otlp and none are supported", exporter)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		switch protocol := env(name); protocol {
		case "":
		case "http/protobuf":
			return true, nil
		default:
			return false, fmt.Errorf("%s=%s: only http/protobuf is supported", name, protocol)
		}
	}
	return true, nil
}

func (t *tracer) wrap(h http.Handler) http.Handler {
	if t == nil {
		return h
	}
	return otelhttp.NewHandler(h, "storefront",
		otelhttp.WithTracerProvider(t.provider),
		otelhttp.WithMeterProvider(metricnoop.NewMeterProvider()),
		otelhttp.WithPropagators(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{},
			propagation.Baggage{})),
		otelhttp.WithPublicEndpointFn(t.stranger),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return spanName(r) }))
}

// stranger reports whether the caller's trace is only linked: anyone may send a traceparent, and
// must not decide what is sampled here.
func (t *tracer) stranger(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return true
	}
	addr := from.Addr().Unmap()
	for _, p := range t.proxies {
		if p.Contains(addr) {
			return false
		}
	}
	return !addr.IsLoopback()
}

// idSegment is an id in a path, whatever its kind.
var idSegment = regexp.MustCompile(`/[a-z]{3,4}_[^/]*`)

// spanName returns the method and the path with ids replaced, so that there are few names.
func spanName(r *http.Request) string {
	switch path := r.URL.Path; {
	case path == "/graphql":
		return r.Method + " " + path
	case strings.HasPrefix(path, "/api/public/v") && strings.Count(path, "/") <= 6 && len(path) < 100:
		return r.Method + " " + idSegment.ReplaceAllString(path, "/{id}")
	}
	return r.Method
}

func (t *tracer) stop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}
