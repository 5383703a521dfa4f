from collections.abc import Callable
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower, Now
from django.utils.translation import gettext_lazy as _


class UserManager(BaseUserManager["User"]):
    def create_user(
        self, *, name: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> "User":
        user = self.model(name=name, email=self.normalize_email(email) if email else None, **fields)
        user.set_password(password)
        user.full_clean(exclude=["password"])
        user.save(using=self._db)
        return user

    def create_superuser(self, *, name: str, email: str, password: str) -> "User":
        return self.create_user(name=name, email=email, password=password, is_staff=True)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username)


class User(AbstractBaseUser):
    """A person who signs in. Judges may sign in by invitation alone, without an e-mail address."""

    email = models.EmailField(unique=True, null=True, blank=True)
    name = models.CharField(max_length=150)
    language = models.CharField(
        max_length=35,
        blank=True,
        help_text="Interface language. Defaults to that of the browser.",
    )
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["name"]

    class Meta:
        verbose_name = _("User")
        constraints = [
            models.UniqueConstraint(Lower("email"), name="user_email_unique_whatever_its_case"),
        ]

    def __str__(self) -> str:
        return self.name


def by_user(
    *, on_delete: Callable[..., None] = models.SET_NULL
) -> "models.ForeignKey[User | None, User | None]":
    """Return the field for a row's author, empty without a signed-in user. It has no index."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=on_delete,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,
    )
