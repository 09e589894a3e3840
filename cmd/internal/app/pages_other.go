//go:build !linux

package app

import (
	"context"
	"log/slog"
)

func releasePages(context.Context, *slog.Logger) {}
