"""How the tests start Chromium."""

from typing import Any

from launcher import browser

# Chromium takes the last list of features to leave out, so this one repeats Playwright's.
_WITHOUT = (
    *(
        "AvoidUnnecessaryBeforeUnloadCheckSync",
        "DestroyProfileOnBrowserClose",
        "HttpsUpgrades",
    ),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect"),
    *(
        "TcpPortRandomizationWin",
        "OptimizationHints",
        "NetworkTimeServiceQuerying",
        "AimEnabled",
    ),
    *(
        "PreconnectToSearch",
        "msForceBrowserSignIn",
        "msEdgeUpdateLaunchServicesPreferredVersion",
    ),
    # The pages in which a window's address bar proposes addresses: more than half of the
    # processor's time of a new page.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    # A process kept ready for a page that never comes: one in three.
    "SpareRendererForSitePerProcess",
)
ARGUMENTS = (
    *browser.launch_arguments(),
    "--disable-gpu",
    "--disable-quic",
    f"--disable-features={','.join(_WITHOUT)}",
)


def launch_options() -> dict[str, Any]:
    """Return what `BrowserType.launch` and `launch_persistent_context` are given in tests."""
    return {"executable_path": browser.executable_for_tests(), "args": [*ARGUMENTS]}
