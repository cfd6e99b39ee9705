"""What the pages of a case make use of that the base's never do: pure functions.

A page that is to be one thing for the harness and another for somebody else has to find out who
looks, or to wait for what no boot does: it reads what the browser is and has, or listens for what
a visitor does. One that fails by chance draws what no seed says. The browser tells all of that,
whatever name a script has for it: each feature when it is first used (`driver/uses.mjs`), and which
kinds of events are listened to when it is asked. Only what a page could learn or draw something by
is held against a case: new versions of frameworks and libraries use others. docs/trust.md, "Not
defended", has known ways round it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pytest_benchmac.tracks.angular.boot.record import MAX_KINDS, Executed

#: Features that tell a page who looks at it, or that draw what no seed says, by their numbers in
#: Chromium's list (`WebFeature`, which gives no number anew), and what scripts call them: as
#: counted by Chromium 150 and 156 when each was used, and by the names in that list.
FEATURES: Mapping[int, str] = MappingProxyType(
    {
        3: "indexedDB",
        124: "navigator.vendor",
        371: "Notification.permission",
        494: "navigator.sendBeacon",
        533: "Notification",
        558: "screen.orientation",
        669: "devicemotion",
        671: "deviceorientation",
        695: "clientInformation",
        697: "screenLeft",
        698: "screenTop",
        710: "crypto.getRandomValues",
        716: "crypto.subtle.generateKey",
        743: "caches",
        744: "navigator.connection",
        750: "navigator.permissions",
        786: "screen.availLeft",
        787: "screen.availTop",
        850: "navigator.vibrate",
        882: "performance.timing",
        883: "performance.navigation",
        884: "performance.memory",
        953: "print",
        1042: "RTCPeerConnection",
        1119: "navigator.mediaDevices",
        1272: "speechSynthesis",
        1371: "navigator.storage",
        1447: "BroadcastChannel",
        1462: "visualViewport.width",
        1463: "visualViewport.height",
        1464: "visualViewport.scale",
        1466: "the visual viewport's resize",
        1604: "URL.createObjectURL",
        1698: "AudioContext",
        1916: "navigator.getGamepads",
        2121: "navigator.deviceMemory",
        2198: "navigator.getBattery",
        2226: "pagehide",
        2228: "pageshow",
        2372: "navigator.clipboard",
        2376: "navigator.locks",
        2429: "performance.getEntriesByType",
        2432: "navigator.keyboard",
        2654: "navigator.appVersion",
        2655: "navigator.doNotTrack",
        2656: "navigator.hardwareConcurrency",
        2657: "navigator.language",
        2658: "navigator.languages",
        2659: "navigator.maxTouchPoints",
        2660: "navigator.mimeTypes",
        2661: "navigator.platform",
        2662: "navigator.plugins",
        2663: "navigator.userAgent",
        2699: "screen.availHeight",
        2700: "screen.availWidth",
        2701: "screen.colorDepth",
        2702: "screen.height",
        2703: "screen.pixelDepth",
        2704: "screen.width",
        2712: "screenX",
        2713: "screenY",
        2714: "outerHeight",
        2715: "outerWidth",
        2716: "devicePixelRatio",
        2719: "history.length",
        2786: "navigator.userActivation",
        3275: "navigator.cookieEnabled",
        3371: "closed",
        3789: "screen.isExtended",
        3973: "navigator.pdfViewerEnabled",
        4161: "document.prerendering",
        4585: "document.execCommand",
        4613: "frameElement",
        5288: "frames.length",
        5290: "top",
        5291: "opener",
        5293: "parent",
    }
)
#: Events that a page hears of somebody who is no boot, or that hardly any boot brings about. Not
#: `resize`, `orientationchange`, `auxclick` and `contextmenu`, which component libraries listen to.
EVENTS = frozenset(
    {
        *("copy", "cut", "paste", "beforecopy", "beforecut", "beforepaste"),
        *("pageshow", "pagehide", "visibilitychange", "freeze", "resume", "beforeunload", "unload"),
        *("pageswap", "pagereveal"),
        *("online", "offline", "message", "messageerror", "storage"),
        *("beforeprint", "afterprint"),
        *("devicemotion", "deviceorientation", "deviceorientationabsolute"),
        *("languagechange", "fullscreenchange", "gamepadconnected", "gamepaddisconnected"),
        *("beforeinstallprompt", "appinstalled", "securitypolicyviolation"),
    }
)


def new_uses(base: Executed, case: Executed) -> tuple[str, ...]:
    """What pages of the case learn of who looks, and the base's never, one sentence each."""
    features = set(case.features) - set(base.features)
    kinds = EVENTS & set(case.listened) - set(base.listened)
    # Behind a full list anything could be.
    full = len(case.listened) >= MAX_KINDS > len(base.listened)
    # What is used through a frame that is gone by then is counted nowhere.
    frames = case.frames and not base.frames
    return tuple(
        ["has a frame, which the base never has"] * frames
        + ["listens to more kinds of events than are told"] * full
        + [
            f"uses {FEATURES[number]}, which the base never does"
            for number in sorted(features & FEATURES.keys())
        ]
        + [f"listens to {kind!r}, which the base never does" for kind in sorted(kinds)]
    )
