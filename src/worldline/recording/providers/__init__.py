"""What contains the programs: bubblewrap, gVisor, or nothing; and which of them this machine offers."""

from worldline.recording.providers.bubblewrap import Bubblewrap
from worldline.recording.providers.gvisor import Gvisor
from worldline.recording.providers.provider import Provider

PROVIDERS: dict[str, Provider] = {"bwrap": Bubblewrap(), "gvisor": Gvisor()}
