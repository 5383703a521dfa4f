"""JSON from anybody."""

import json
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class StrictJSONParser(JSONParser):
    """Refuse JSON that Python reads or tries to, and that no database takes."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the body says; ParseError if it nests too deep or holds half a character."""
        try:
            data = super().parse(*args, **kwargs)
            json.dumps(data, ensure_ascii=False).encode()
        except RecursionError as error:
            raise ParseError(_("The JSON nests too deep. Nothing here needs it to.")) from error
        except UnicodeEncodeError as error:
            raise ParseError(
                _("The JSON holds half of a surrogate pair, which is no character.")
            ) from error
        return data
