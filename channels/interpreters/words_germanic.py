"""The words of English, German, Dutch, Swedish, Danish and Norwegian."""

from __future__ import annotations

from .lexicon import Kind, Language, language

_ENGLISH = language(
    "en",
    {
        Kind.YES: """yes | yep | yeah | yup | aye
            | hell yes | affirmative | it's a yes | that's a yes | it is a yes""",
        Kind.APPROVE: """we approve | we agree | i accept | i authorise | i authorize | approve | approved
            | i approve | is approved | are approved | granted | permission granted | approval granted
            | approval given | authorise | authorised | authorize | authorized | confirmed | i confirm | accept
            | accepted | agree | agreed | i agree | go ahead | go-ahead | go for it | you may proceed
            | you may go ahead | you can go ahead | you can proceed | proceed | do it | please go ahead
            | fine by me | fine with me | fine for me | ok by me | ok with me | ok for me | ok from me
            | okay by me | okay with me | okay for me | good for me | works for me | it is fine | it's fine
            | its fine | that is fine | that's fine | thats fine | it is ok | it's ok | it is okay | it's okay
            | that is ok | that's ok | that is okay | that's okay | looks good | looks good to me | lgtm
            | sounds good | sounds good to me | good to go | i'm ok with it | i'm ok with that
            | i'm fine with it | i'm fine with that | i am fine with it | i am fine with that | no problem
            | no problems | no objection | no objections | i have no objection | i have no objections
            | no objection from me | no objections from me | nothing against it | nothing against that
            | i have nothing against it | don't reject it | don't reject | do not reject it | do not reject
            | you have my approval | you have my ok | allow it | i allow it | i allow this
            | by all means | signed off | green light | you have the green light | you have my go-ahead | you
            have my blessing | you have my sign-off | consider it approved | not a problem | no concerns | i
            have no concerns | i have no reservations | no issues | no issue | nothing
            against this | i have nothing against this | i have nothing against that | i'm happy with it | i'm
            happy with this | i'm happy with that | i am happy with it | i am happy with this | i am happy
            with that | happy with it | happy with this | happy with that | i'm okay with it | i'm okay with
            this | i'm okay with that | i am okay with it | i am okay with this | i am okay with that | i am
            ok with it | i am ok with this | i am ok with that | i endorse it | i endorse this | i endorse
            that | i'm ok with this | i'm fine with this | i am fine with this | happy for you to proceed
            | happy for you to go ahead | happy to approve | i'm happy to approve | i am happy to approve | all
            good from my side | all good from my end | all good on my side | all good for me | let's do it
            | let's do this | let's proceed | let's go ahead | i give my approval | i give my consent | i
            consent | i authorise this | i authorize this | are fine | are ok | are okay | is fine | is ok
            | is okay | is okay with me | request approved
            | you're good to go | you are good to go | i hereby approve | we hereby approve
            | i don't object | i do not object | we don't object | i give it my approval | i give it my ok
            | you've got my approval | you've got my ok | you've got my go-ahead | that works | this works
            | that works for me | sounds fine | sounds fine to me | sounds ok | sounds okay""",
        Kind.NO: "no | nope | nah | nay",
        Kind.REJECT: """reject | rejected | i reject | rejecting | deny | denied | i deny | decline | declined | i decline
            | refuse | refused | i refuse | disapprove | disapproved | i disapprove | disallow | disallowed
            | unapproved | veto | vetoed | negative | i object | no go | no-go | no deal | no approval | no
            permission | permission denied | hard no | hard pass
            | i disagree | we disagree | i'm against it | i'm against this | i'm against that | i am against
            it | i am against this | i am against that | we're against it | we're against this | we're against
            that | we are against it | we are against this | we are against that | i'm opposed | i am opposed
            | turn it down | turn this down | turn that down
            | i'll pass on this one | no can do | it's a no | that's a no | it is a no
            | request denied | request rejected | request declined | not a chance | not in a million years | not
            on my watch | not happening | i'd rather not | i would rather not | rather not | better not""",
        Kind.NEGATION: """not | don't | dont | do not | never | cannot | can not | can't | cant | won't | wont
            | wouldn't | shouldn't | couldn't | mustn't | must not | may not | nothing | isn't | aren't
            | doesn't | didn't | neither | nor | nobody | none""",
        Kind.ACT: """allow | allowed | approval | authorisation | authorization | permission | permit | release
            | acceptable | sign off | sign-off
            | sign off on""",
        Kind.FILL: """please | pls | plz | thanks | thank you | many thanks | thx | hi | hello | hey | hi there
            | dear | hello there | hi team | hi all | good morning | good afternoon | good evening | it | this
            | that | this one | that one | this request | the request | the | for | of | with | sorry
            | from my side | on my side | from my end | on my end | from me | from us | by me | as requested
            | have a nice day | have a good day | my answer | my answer is | my decision | my decision is
            | with me | hereby | have a nice weekend | have a good weekend | have a great weekend | have a
            great day | have a nice evening | have a good evening | enjoy your weekend | enjoy the weekend
            | from our side | from our end | on our side""",
        Kind.SURE: "sure | of course | great | perfect | good | excellent | fine | wonderful | lovely | super",
        Kind.EMPHASIS: "absolutely | definitely | certainly | really | totally | completely | clearly | strongly",
        Kind.AUXILIARY: """i | we | thanks for | thank you for | thx for | would | could | can | will | may
            | might | should | shall | do | does | did | to | be | been | am | is | are | was | i'm | we're
            | you | they | must | need | have | has | had | then | ever | at all | go
            | them | him | her""",
        Kind.REGRET: "unfortunately | sadly | regrettably | i'm afraid | i am afraid | afraid",
        Kind.BUT: """but | if | unless | except | however | though | although | provided | otherwise | instead
            | as long as | rather | only if | other than | wait | hold | hold on""",
        Kind.LIMIT: """only | just | max | maximum | at most | up to | no more than | not more than | not over
            | limit | limited to | capped at | to a maximum of
            | a maximum of | up to a maximum of | at a maximum of | cap at | cap it at | cap that at | not
            exceeding | not to exceed | limit it to | at the most""",
        Kind.HALF: "half | one half | a half | half the amount | half of it | half of that | half of the amount",
        Kind.CONDITION: """later | after | before | once | when | while | maybe | perhaps | possibly | probably
            | tomorrow | today | tonight | yesterday | soon | first of all | next | last
            | other | another | some | partly | partially | instead of | nothing else | almost | nearly | hardly
            | guess | suppose | think | hope | wonder | doubt | depends | depending | subject | pending | again
            | monday | tuesday | wednesday | thursday | friday | saturday | sunday | week | month | day | now | yet
            | for now | not yet | not now | not sure | unsure | right
            | yeah sure | yeah right
            | i am not allowed | i'm not allowed | we are not allowed | we're not allowed | i am not
            authorised | i'm not authorised | we are not authorised | we're not authorised | i am not
            authorized | i'm not authorized | we are not authorized | we're not authorized | i am not
            permitted | i'm not permitted | we are not permitted | we're not permitted | i am not entitled
            | i'm not entitled | we are not entitled | we're not entitled""",
        Kind.BECAUSE: "because | since | as | due | until | till | without | because of | due to | as long",
        Kind.EACH: "both | to both | for both | both of them | to both of them | all | to all | for all | all of them",
        Kind.FIRST: """first | the first | the first one | 1st | number one
            | first one""",
        Kind.SECOND: """second | the second | the second one | 2nd | number two
            | second one""",
        Kind.THIRD: """third | the third | the third one | 3rd | number three
            | third one""",
    },
    nouns="""refund refunds payment payments order orders request requests invoice invoices transfer transaction card
        purchase deploy deployment access""",
    lone="never nothing",
    denials="""i disagree | we disagree | no way | no chance | by no means | under no circumstances
        | over my dead body | hell no | not a
        chance | not in a million years | not on my watch | not happening | i'd rather not | i would rather
        not | rather not | better not""",
    sign_offs="""best | best regards | kind regards | warm regards | regards | cheers | many thanks | thanks
        | thank you | thx | best wishes | yours | sincerely | thanks and regards | thanks again""",
    has_counting_no=True,
)

_GERMAN = language(
    "de",
    {
        Kind.YES: "ja | jawohl",
        Kind.APPROVE: """genehmigt | genehmige | ich genehmige | genehmigen | genehmigen sie | genehmige ich
            | freigegeben | freigeben | gebe frei | gebe ich frei | ich gebe frei | gebe es frei | ich gebe es frei
            | geben sie frei | gib frei | freigabe erteilt | genehmigung erteilt | ist genehmigt | ist freigegeben
            | einverstanden | bin einverstanden | ich bin einverstanden | in ordnung | geht in ordnung | geht klar
            | ist ok | ist okay | ist in ordnung | das geht klar | kein problem | kein einwand | keine einwände
            | keine bedenken | nichts dagegen | ich habe nichts dagegen | habe nichts dagegen | bestätigt | bestätige
            | ich bestätige | zugestimmt | stimme zu | ich stimme zu | passt für mich | akzeptiert | erlaubt
            | erlaube ich | ich erlaube es | grünes licht
            | passt | passt so | mach das | machen sie das | mach es | machen sie es | ich habe keine einwände
            | habe keine einwände | ich habe keine bedenken | habe keine bedenken | ist ok für mich | ist in
            ordnung für mich | ok für mich | für mich ok | für mich in ordnung | spricht nichts dagegen
            | meine freigabe hast du | meine freigabe haben sie | meine zustimmung hast du | meine zustimmung
            haben sie
            | hiermit genehmige ich | hiermit freigegeben | hiermit gebe ich frei
            | zustimmung erteilt | kann freigegeben werden | kann genehmigt werden | darf freigegeben werden
            | darf genehmigt werden""",
        Kind.NO: "nein | nee | nö",
        Kind.REJECT: """abgelehnt | ablehnen | lehne ab | ich lehne ab | lehne ich ab | lehne das ab | ich lehne das ab
            | lehne es ab | lehnen sie ab | ablehnung | verweigert | verweigern | zurückgewiesen | zurückweisen
            | untersagt | verboten | nicht einverstanden
            | ich bin dagegen | bin dagegen | wir sind dagegen | wir lehnen ab | wir lehnen das ab | das
            lehnen wir ab | lehnen wir ab | das lehne ich ab""",
        Kind.NEGATION: "nicht | nie | niemals | kein | keine | keinen | keiner | keinerlei | nichts",
        Kind.ACT: """freigabe | genehmigung | zustimmung | erlaubnis | frei | gebe | geben | erlauben | erlaube
            | stimme | zustimmen | einverständnis | freizugeben | akzeptieren""",
        Kind.FILL: """bitte | danke | vielen dank | danke schön | dankeschön | hallo | hi | guten tag | guten morgen
            | moin | servus | das | die | den | der | dies | diese | dieses | diesen | ich | wir | es | von mir | für
            | von meiner seite | meinerseits | tut mir leid | sorry
            | meine antwort | die antwort
            | hiermit | für mich | von mir aus | schönes wochenende | schönen tag | schönen tag noch | schönen
            abend | einen schönen tag
            | danke dir | danke ihnen | danke euch""",
        Kind.SURE: "klar | natürlich | selbstverständlich | gerne | gern | gut | super | prima | perfekt | alles klar",
        Kind.EMPHASIS: "absolut | definitiv | auf jeden fall | überhaupt | gar | bestimmt | ganz | wirklich | völlig",
        Kind.AUXILIARY: """danke für | vielen dank für | danke für die | würde | könnte | kann | können | wird
            | werde | werden | wurde | darf | soll | sollte | muss | haben | habe | hat | bin | ist | sind
            | sein | zu | noch | dem | so | mich | sie | er | mehr
            | damit | dazu""",
        Kind.REGRET: "leider | bedauerlicherweise | lieber",
        Kind.BUT: """aber | wenn | falls | sofern | außer | jedoch | allerdings | sondern | vorausgesetzt | sonst
            | doch | es sei denn | stattdessen | warte | warten | moment""",
        Kind.LIMIT: """nur | höchstens | maximal | max | bis zu | nicht mehr als | lediglich | bloß | allein
            | nicht über
            | bis max | bis maximal | bis höchstens | bis zu maximal | bis zu höchstens | bis zu einem betrag
            von | bis zur höhe von""",
        Kind.HALF: """halb | die hälfte | hälfte | zur hälfte | die hälfte davon | die hälfte des betrags
            | den halben betrag""",
        Kind.CONDITION: """später | nach | nachdem | bevor | vor | erst | zuerst | sobald | vielleicht
            | eventuell | morgen | heute | gestern | bald | möglicherweise | wahrscheinlich | teilweise | glaube
            | denke | vermutlich | eher | fast | montag | dienstag | mittwoch | donnerstag | freitag | samstag
            | sonntag | woche | monat | tag | jetzt | nochmal | unter vorbehalt | vorbehaltlich | jein
            | ich darf | darf ich | wir dürfen | dürfen wir""",
        Kind.BECAUSE: "weil | da | denn | wegen | solange | aufgrund | ehe | mangels | ohne | bis",
        Kind.EACH: "beide | beides | zu beiden | für beide | zu beidem | alle | alles | für alle | zu allen",
        Kind.FIRST: "erste | das erste | die erste | erstens | nummer eins",
        Kind.SECOND: "zweite | das zweite | die zweite | zweitens | nummer zwei",
        Kind.THIRD: "dritte | das dritte | die dritte | drittens | nummer drei",
    },
    nouns="""erstattung rückerstattung zahlung auszahlung bestellung auftrag anfrage antrag rechnung überweisung
        betrag""",
    lone="nie niemals nichts",
    denials="""auf keinen fall | auf gar keinen fall | keinesfalls | keineswegs | kommt nicht in frage | kommt
        nicht infrage""",
    sign_offs="""gruß | grüße | viele grüße | beste grüße | liebe grüße | schöne grüße | mfg | lg | vg
        | mit freundlichen grüßen | mit freundlichem gruß | mit besten grüßen | danke | vielen dank | danke und gruß""",
    negates_backwards=True,
)

_DUTCH = language(
    "nl",
    {
        Kind.YES: "ja | jazeker",
        Kind.APPROVE: """akkoord | ik ga akkoord | ga akkoord | ben akkoord | ik ben akkoord | goedgekeurd
            | goedkeuren | keur goed | ik keur goed | keur het goed | ik keur het goed | keur ik goed
            | is goedgekeurd | ga je gang | ga uw gang | geen bezwaar | geen bezwaren | ik heb geen bezwaar
            | geen probleem | is goed | dat is goed | het is goed | is prima | dat is prima | is akkoord
            | toegestaan | bevestigd | ik bevestig | mee eens | ik ben het ermee eens
            | geen bezwaar van mijn kant | vrijgegeven | vrijgeven
            | doe maar | ga maar door | prima wat mij betreft | ik vind het goed | je hebt mijn akkoord | u
            hebt mijn akkoord""",
        Kind.NO: "nee | neen",
        Kind.REJECT: """afgekeurd | afgewezen | afwijzen | wijs af | ik wijs af | wijs het af | ik wijs het af | weiger
            | ik weiger | geweigerd | weigeren | afkeuren | keur af | ik keur af | ik keur het af | verworpen
            | verboden
            | gaat niet door | dat gaat niet door | niet doen | doe het niet | ik ben tegen | ik ben ertegen
            | niet mee eens | ik ben het er niet mee eens | ik ben het niet eens""",
        Kind.NEGATION: "niet | nooit | geen | niets",
        Kind.ACT: "goedkeuring | toestemming | goed | keur | toestaan | toe | sta | ga | gaan | door | eens",
        Kind.FILL: """alstublieft | alsjeblieft | aub | svp | graag gedaan | dank je | dank u | dank | dankjewel
            | bedankt | hartelijk dank | hallo | hoi | goedemorgen | goedemiddag | goedendag | beste | dit | dat
            | deze | die | het | de | ik | wij | we | van mij | wat mij betreft | van mijn kant | voor mij
            | voor | sorry
            | fijn weekend | fijne dag | prettig weekend | fijne avond | hierbij
            | door mij""",
        Kind.SURE: "natuurlijk | prima | zeker | graag | uitstekend | mooi | top | tuurlijk | oké",
        Kind.EMPHASIS: "absoluut | beslist | echt | helemaal | zeker weten",
        Kind.AUXILIARY: """bedankt voor | dank voor | dank je voor | dank u voor | zou | zal | kan | kunnen
            | mag | moet | wil | wordt | worden | ben | is | zijn | heb | hebben | te | nog | ermee | mee
            | hiermee | dan""",
        Kind.REGRET: "helaas | jammer genoeg | liever",
        Kind.BUT: """maar | als | indien | mits | tenzij | behalve | echter | wel | alhoewel | anders
            | in plaats daarvan""",
        Kind.LIMIT: """alleen | slechts | maximaal | max | hoogstens | tot | enkel | niet meer dan | ten hoogste
            | maximum | maar tot
            | tot maximaal | tot max | tot een maximum van | tot en met""",
        Kind.HALF: "helft | de helft | half | de helft ervan | de helft van het bedrag",
        Kind.CONDITION: """later | na | nadat | voordat | eerst | zodra | wanneer | misschien | wellicht | morgen
            | vandaag | gisteren | straks | wacht | wachten | even | waarschijnlijk | denk | gedeeltelijk | bijna
            | maandag | dinsdag | woensdag | donderdag | vrijdag | zaterdag | zondag | week | maand | dag | nu
            | ik mag | mag ik | wij mogen | bevoegd""",
        Kind.BECAUSE: "omdat | want | zolang | totdat | zonder | wegens | vanwege",
        Kind.EACH: "beide | allebei | op beide | voor beide | alle | alles | allemaal",
        Kind.FIRST: "eerste | de eerste | het eerste",
        Kind.SECOND: "tweede | de tweede | het tweede",
        Kind.THIRD: "derde | de derde | het derde",
    },
    nouns="terugbetaling betaling bestelling order aanvraag verzoek factuur overboeking bedrag",
    lone="nooit",
    denials="geen sprake van | in geen geval | absoluut niet | zeker niet",
    sign_offs="""groet | groeten | groetjes | mvg | met vriendelijke groet | met vriendelijke groeten | vriendelijke groet
        | bedankt | dank | hartelijk dank | alvast bedankt""",
    negates_backwards=True,
)

_SWEDISH = language(
    "sv",
    {
        Kind.YES: """ja | japp
            | jag säger ja""",
        Kind.APPROVE: """godkänn | godkänner | jag godkänner | godkänt | godkänd | godkännes | är godkänt | är godkänd
            | kör på | okej | det går bra | går bra | det är ok | det är okej | är ok | inga invändningar
            | inga problem | inget problem | jag har inga invändningar | ingen invändning | bekräftat | bekräftar
            | jag bekräftar | jag håller med | bifalles | beviljas | beviljat | beviljar | tillåtet
            | jag har inget emot det
            | godkänns | du har mitt godkännande | gör det | jag är med på det""",
        Kind.NO: """nej | nä | näe
            | jag säger nej""",
        Kind.REJECT: """avslå | avslås | avslaget | avslag | avslår | jag avslår | avvisa | avvisas | avvisat | avvisar
            | neka | nekas | nekad | nekat | nekar | jag nekar | underkänd | underkänt | underkänner | förbjudet
            | jag är emot det | jag är emot""",
        Kind.NEGATION: "inte | ej | aldrig | icke | ingen | inget | inga",
        Kind.ACT: "godkännande | godkänna | tillåta | tillåter | bevilja | tillstånd | gå | kör | köra | ge | ger",
        Kind.FILL: """tack | tack så mycket | tackar | snälla | vänligen | hej | hejsan | god morgon | det | den
            | det här | den här | denna | detta | jag | vi | från mig | från min sida | för mig | för | förlåt

| för min del | härmed | trevlig helg | ha en bra dag""",
        Kind.SURE: "visst | självklart | gärna | bra | perfekt | toppen | naturligtvis | absolut | fint",
        Kind.EMPHASIS: "verkligen | definitivt | helt",
        Kind.AUXILIARY: """tack för | skulle | kan | kunde | ska | skall | får | måste | vill | är | var | har
            | att | till | än | blir""",
        Kind.REGRET: "tyvärr | hellre",
        Kind.BUT: "men | om | såvida | utom | förutsatt | annars | dock | istället | fast | under förutsättning",
        Kind.LIMIT: """bara | endast | högst | max | maximalt | upp till | inte mer än | enbart | som mest | blott
            | upp till max | upp till högst""",
        Kind.HALF: "hälften | halva | hälften av det | halva beloppet | hälften av beloppet",
        Kind.CONDITION: """senare | efter | innan | före | först | när | kanske | möjligen | imorgon | idag
            | igår | snart | vänta | antagligen | troligen | tror | delvis | nästan | måndag | tisdag | onsdag
            | torsdag | fredag | lördag | söndag | vecka | månad | dag | nu | ännu
            | jag får | får jag | vi får | får vi""",
        Kind.BECAUSE: "eftersom | därför att | tills | utan | på grund av | för att | då",
        Kind.EACH: "båda | på båda | till båda | bägge | alla | allt",
        Kind.FIRST: "första | den första | det första",
        Kind.SECOND: "andra | den andra | det andra",
        Kind.THIRD: "tredje | den tredje | det tredje",
    },
    nouns="återbetalning återbetalningen betalning betalningen beställning beställningen order ordern faktura fakturan",
    lone="aldrig",
    denials="absolut inte | inte alls | aldrig i livet | under inga omständigheter",
    sign_offs="""hälsningar | mvh | med vänlig hälsning | med vänliga hälsningar | vänliga hälsningar | tack
        | bästa hälsningar | tack på förhand""",
    negates_backwards=True,
)

_DANISH = language(
    "da",
    {
        Kind.YES: "ja | jep",
        Kind.APPROVE: """godkend | godkender | jeg godkender | godkendt | er godkendt | det er ok | det er okay
            | det er fint | det er i orden | i orden | er i orden | ingen indvendinger | ingen indsigelser
            | jeg har ingen indvendinger | intet problem | ingen problemer | bekræftet | bekræfter | jeg bekræfter
            | jeg er enig | accepteret | bevilget | tilladt | jeg har intet imod det | bare gør det
            | gør det | godkendes | du har min godkendelse""",
        Kind.NO: "nej | niks | næ",
        Kind.REJECT: """afvis | afvist | afviser | jeg afviser | afvises | afslå | afslået | afslår | afslag | nægtet
            | nægter | underkendt | forkastet | forbudt
            | jeg er imod | jeg er imod det""",
        Kind.NEGATION: "ikke | aldrig | ingen | intet | ej",
        Kind.ACT: "godkendelse | godkende | tillade | tillader | tilladelse | accepterer | acceptere | enig | orden",
        Kind.FILL: """tak | mange tak | tusind tak | venligst | hej | goddag | godmorgen | det | den | dette | denne
            | det her | den her | jeg | vi | fra mig | fra min side | for mig | for | undskyld
| for min del | hermed | god weekend""",
        Kind.SURE: "selvfølgelig | naturligvis | gerne | fint | godt | perfekt | super | klart | absolut | helt fint",
        Kind.EMPHASIS: "virkelig | helt | bestemt | slet",
        Kind.AUXILIARY: """tak for | mange tak for | ville | vil | kan | kunne | skal | skulle | må | er | var
            | har | at | til | bliver | i""",
        Kind.REGRET: "desværre | hellere | helst",
        Kind.BUT: "men | hvis | medmindre | undtagen | forudsat | ellers | dog | i stedet | under forudsætning",
        Kind.LIMIT: "kun | bare | højst | maks | max | maksimalt | op til | ikke mere end | udelukkende",
        Kind.HALF: "halvdelen | det halve | halvdelen af det | halvdelen af beløbet | det halve beløb",
        Kind.CONDITION: """senere | efter | før | først | når | måske | muligvis | i morgen | i dag | i går
            | snart | vent | sandsynligvis | tror | delvist | næsten | mandag | tirsdag | onsdag | torsdag
            | fredag | lørdag | søndag | uge | måned | dag | nu | endnu
            | jeg må | må jeg | vi må | må vi""",
        Kind.BECAUSE: "fordi | da | indtil | uden | på grund af | eftersom",
        Kind.EACH: "begge | til begge | begge to | alle | alt",
        Kind.FIRST: "første | den første | det første",
        Kind.SECOND: "anden | den anden | det andet",
        Kind.THIRD: "tredje | den tredje | det tredje",
    },
    nouns="tilbagebetaling tilbagebetalingen refusion betaling betalingen ordre ordren faktura fakturaen",
    lone="aldrig",
    denials="absolut ikke | slet ikke | bestemt ikke | under ingen omstændigheder",
    sign_offs="""hilsen | mvh | vh | med venlig hilsen | venlig hilsen | de bedste hilsner | mange hilsner | tak
        | på forhånd tak | kh""",
    negates_backwards=True,
)

_NORWEGIAN = language(
    "nb",
    {
        Kind.YES: "ja | japp",
        Kind.APPROVE: """godkjenn | godkjenner | jeg godkjenner | godkjent | er godkjent | det er ok | det er greit
            | det er fint | det er i orden | i orden | ingen innvendinger | jeg har ingen innvendinger
            | ikke noe problem | ingen problem | ingen problemer | bekreftet | bekrefter | jeg bekrefter | jeg er enig
            | akseptert | innvilget | tillatt | bare kjør på | kjør på
            | gjør det | godkjennes | du har min godkjenning""",
        Kind.NO: "nei | niks",
        Kind.REJECT: """avvis | avvist | avviser | jeg avviser | avvises | avslå | avslått | avslår | avslag | nektet
            | nekter | underkjent | forkastet | forbudt
            | jeg er imot | jeg er imot det""",
        Kind.NEGATION: "ikke | aldri | ingen | intet | ikkje",
        Kind.ACT: "godkjenning | godkjenne | tillate | tillater | tillatelse | aksepterer | akseptere | enig | kjør",
        Kind.FILL: """takk | mange takk | tusen takk | vennligst | hei | god morgen | det | den | dette | denne
            | det her | jeg | vi | fra meg | fra min side | for meg | for | beklager
| for min del | herved | god helg""",
        Kind.SURE: "selvfølgelig | naturligvis | gjerne | fint | bra | perfekt | supert | klart | absolutt | greit",
        Kind.EMPHASIS: "virkelig | helt | definitivt | slett",
        Kind.AUXILIARY: """takk for | mange takk for | ville | vil | kan | kunne | skal | skulle | må | er | var
            | har | å | til | blir | i""",
        Kind.REGRET: "dessverre | heller | helst",
        Kind.BUT: """men | hvis | dersom | med mindre | unntatt | forutsatt | ellers | i stedet
            | under forutsetning | om""",
        Kind.LIMIT: "kun | bare | høyst | maks | max | maksimalt | opptil | opp til | ikke mer enn | utelukkende",
        Kind.HALF: "halvparten | halve | halvparten av det | halvparten av beløpet | halve beløpet",
        Kind.CONDITION: """senere | etter | før | først | når | kanskje | muligens | i morgen | i dag | i går | snart
            | vent | sannsynligvis | tror | delvis | nesten | mandag | tirsdag | onsdag | torsdag | fredag | lørdag
            | søndag | uke | måned | dag | nå | ennå
            | jeg må | må jeg | vi må | må vi""",
        Kind.BECAUSE: "fordi | ettersom | inntil | uten | på grunn av | siden",
        Kind.EACH: "begge | til begge | begge to | alle | alt",
        Kind.FIRST: "første | den første | det første",
        Kind.SECOND: "andre | den andre | det andre",
        Kind.THIRD: "tredje | den tredje | det tredje",
    },
    nouns="tilbakebetaling tilbakebetalingen refusjon betaling betalingen ordre ordren bestilling faktura fakturaen",
    lone="aldri",
    denials="absolutt ikke | slett ikke | ikke i det hele tatt | under ingen omstendigheter",
    sign_offs="""hilsen | mvh | vh | med vennlig hilsen | vennlig hilsen | beste hilsen | takk | på forhånd takk""",
    negates_backwards=True,
)

GERMANIC: tuple[Language, ...] = (_ENGLISH, _GERMAN, _DUTCH, _SWEDISH, _DANISH, _NORWEGIAN)
